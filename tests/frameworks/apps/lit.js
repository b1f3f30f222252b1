import {html, nothing, render} from 'lit';
import {handle, later, place, stop} from './parts.js';

const app = (late) => html`
  <button id="wired" @click=${handle}>wired</button>
  <button id="unwired">unwired</button>
  <button id="late" @click=${late}>late</button>
  <div @click=${handle}><div @click=${stop}><button id="between">between</button></div></div>
  <form id="form" @submit=${handle}></form>
  <form id="form-bare"></form>
  <input id="field" @input=${handle}>`;
const container = place();
render(app(nothing), container);
later(() => render(app(handle), container));
