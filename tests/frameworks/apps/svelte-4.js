import App from './svelte-4.svelte';
import {place} from './parts.js';

new App({target: place()});
