/** The same for every React. mount(element, container), hydrate(element, container). */
import {createElement} from 'react';
import {handle, later, place, stop} from './parts.js';

const ButtonAndForm = ({link}) => [
  createElement('button', {key: 1, id: 'wired', onClick: handle}, 'wired'),
  createElement('button', {key: 2, id: 'unwired'}, 'unwired'),
  createElement('button', {key: 3, id: 'noop', onClick: () => {}}, 'noop'),
  createElement('div', {key: 4, onClick: handle}, createElement('div', {onClick: stop}, createElement('button', {id: 'between'}, 'between'))),
  createElement('form', {key: 5, id: 'form', onSubmit: handle}),
  createElement('form', {key: 6, id: 'form-bare'}),
  createElement('input', {key: 7, id: 'field', onChange: handle}),
  createElement('button', {key: 8, id: 'hover', onMouseEnter: handle}, 'hover'),
  createElement('button', {key: 9, id: 'double', onDoubleClickCapture: handle}, 'double'),
  link && createElement(link, {key: 10}),
];

export function start(mount, hydrate, link) {
  mount(createElement(ButtonAndForm, {link}), place());
  const server = place('<button id="late">late</button>');
  later(() => hydrate(createElement('button', {id: 'late', onClick: handle}, 'late'), server));
}
