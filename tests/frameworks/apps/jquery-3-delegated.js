import $ from 'jquery';
import {start} from './jquery.js';
import {handle} from './parts.js';

start((id, type) => $('#app').on(type, `#${id}`, handle));
