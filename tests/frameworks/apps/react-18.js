import {createRoot, hydrateRoot} from 'react-dom/client';
import {start} from './react.js';

start((element, container) => createRoot(container).render(element), (element, container) => hydrateRoot(container, element));
