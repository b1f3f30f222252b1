import htmx from 'htmx.org';
import {later, place, stop} from './parts.js';

const root = place(`
  <button id="wired" hx-get="part.html">wired</button>
  <button id="unwired">unwired</button>
  <button id="late">late</button>
  <div hx-get="part.html"><div id="stops"><button id="between">between</button></div></div>
  <form id="form" hx-post="part.html"></form>
  <form id="form-bare"></form>
  <input id="field" hx-get="part.html" hx-trigger="input">
  <a id="link" hx-boost="true" href="elsewhere.html">link</a>`);
root.querySelector('#stops').addEventListener('click', stop);
htmx.process(root);
later(() => {
  const late = root.querySelector('#late');
  late.setAttribute('hx-get', 'part.html');
  htmx.process(late);
});
