import {createApp, createSSRApp} from 'vue';
import {createMemoryHistory, createRouter} from 'vue-router';
import {handle, later, place} from './parts.js';

const methods = {handle};
const router = createRouter({history: createMemoryHistory(), routes: [{path: '/:any*', component: {render: () => null}}]});
createApp({methods, template: `
    <button id="wired" @click="handle">wired</button>
    <button id="unwired">unwired</button>
    <div @click="handle"><div @click.stop><button id="between">between</button></div></div>
    <form id="form" @submit.prevent="handle"></form>
    <form id="form-bare"></form>
    <input id="field" @input="handle">
    <router-link id="link" to="/elsewhere">link</router-link>`}).use(router).mount(place());
const server = place('<button id="late">late</button>');
later(() => createSSRApp({methods, template: '<button id="late" @click="handle">late</button>'}).mount(server));
