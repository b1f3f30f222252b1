import 'zone.js';
import '@angular/compiler';
import {Component, provideZoneChangeDetection} from '@angular/core';
import {bootstrapApplication} from '@angular/platform-browser';
import {provideRouter, RouterLink} from '@angular/router';
import {handle, later, place, stop} from './parts.js';

class App {
  handle = handle;
  stop = stop;
}
Component({
  selector: 'app-root', imports: [RouterLink], template: `
    <button id="wired" (click)="handle($event)">wired</button>
    <button id="unwired">unwired</button>
    <div (click)="handle($event)"><div (click)="stop($event)"><button id="between">between</button></div></div>
    <form id="form" (submit)="handle($event)"></form>
    <form id="form-bare"></form>
    <input id="field" (input)="handle($event)">
    <a id="link" routerLink="/elsewhere">link</a>`})(App);
class Late {
  handle = handle;
}
Component({selector: '#late', template: 'late', host: {'(click)': 'handle($event)'}})(Late);

place('<base href="/"><app-root></app-root><button id="late">late</button>');
const providers = [provideZoneChangeDetection()];
bootstrapApplication(App, {providers: [...providers, provideRouter([])]});
later(() => bootstrapApplication(Late, {providers}));
