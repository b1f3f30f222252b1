import Alpine from 'alpinejs';
import {handle, later, place} from './parts.js';

window.handle = handle;
place(`<div x-data>
  <button id="wired" x-on:click="handle()">wired</button>
  <button id="unwired">unwired</button>
  <button id="late">late</button>
  <div x-on:click="handle()"><div x-on:click.stop><button id="between">between</button></div></div>
  <form id="form" x-on:submit.prevent="handle()"></form>
  <form id="form-bare"></form>
  <input id="field" x-on:input="handle()">
</div>`);
Alpine.start();
later(() => document.querySelector('#late').setAttribute('x-on:click', 'handle()'));
