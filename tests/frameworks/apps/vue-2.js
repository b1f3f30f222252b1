import Vue from 'vue';
import {handle, later, place} from './parts.js';

const methods = {handle};
const app = new Vue({methods, template: `<div>
    <button id="wired" @click="handle">wired</button>
    <button id="unwired">unwired</button>
    <div @click="handle"><div @click.stop><button id="between">between</button></div></div>
    <form id="form" @submit.prevent="handle"></form>
    <form id="form-bare"></form>
    <input id="field" @input="handle">
  </div>`});
app.$mount(place().appendChild(document.createElement('div')));
place('<button id="late" data-server-rendered="true">late</button>');
later(() => new Vue({methods, template: '<button id="late" @click="handle">late</button>'}).$mount('#late', true));
