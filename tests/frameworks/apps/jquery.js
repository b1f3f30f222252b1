/** The same for every jQuery. on(id, type): attaches the handler of #id. */
import $ from 'jquery';
import {later, place, stop} from './parts.js';

export function start(on) {
  place(`<div id="app">
    <button id="wired">wired</button>
    <button id="unwired">unwired</button>
    <button id="late">late</button>
    <div id="outer"><div id="stops"><button id="between">between</button></div></div>
    <form id="form"></form>
    <form id="form-bare"></form>
    <input id="field">
    <button id="hover">hover</button>
  </div>`);
  on('wired', 'click');
  on('outer', 'click');
  on('form', 'submit');
  on('field', 'input');
  on('hover', 'mouseenter');
  $('#stops').on('click', stop);
  later(() => on('late', 'click'));
}
