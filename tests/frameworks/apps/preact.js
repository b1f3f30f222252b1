import {h, hydrate, render} from 'preact';
import {handle, later, place, stop} from './parts.js';

render([
  h('button', {id: 'wired', onClick: handle}, 'wired'),
  h('button', {id: 'unwired'}, 'unwired'),
  h('div', {onClick: handle}, h('div', {onClick: stop}, h('button', {id: 'between'}, 'between'))),
  h('form', {id: 'form', onSubmit: handle}),
  h('form', {id: 'form-bare'}),
  h('input', {id: 'field', onInput: handle}),
], place());
const server = place('<button id="late">late</button>');
later(() => hydrate(h('button', {id: 'late', onClick: handle}, 'late'), server));
