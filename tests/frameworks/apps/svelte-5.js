import {mount} from 'svelte';
import App from './svelte-5.svelte';
import {place} from './parts.js';

mount(App, {target: place()});
