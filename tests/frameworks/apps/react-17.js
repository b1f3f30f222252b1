import {hydrate, render} from 'react-dom';
import {start} from './react.js';

start(render, hydrate);
