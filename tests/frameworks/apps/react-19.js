import {createElement} from 'react';
import {createRoot, hydrateRoot} from 'react-dom/client';
import {Link, MemoryRouter} from 'react-router';
import {start} from './react.js';

start(
  (element, container) => createRoot(container).render(element),
  (element, container) => hydrateRoot(container, element),
  () => createElement(MemoryRouter, null, createElement(Link, {id: 'link', to: '/elsewhere'}, 'link')));
