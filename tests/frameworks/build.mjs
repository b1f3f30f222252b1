/**
 * Builds one page for each framework, as a product would be built: minified, for production, from the published
 * packages.
 *
 *   node build.mjs FOLDER       FOLDER/<name>.html and FOLDER/<name>.js for each of APPS
 */
import {readFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {transformAsync} from '@babel/core';
import solid from 'babel-preset-solid';
import {build} from 'esbuild';
import {compile as compileSvelte5} from 'svelte/compiler';
import {compile as compileSvelte4} from 'svelte4/compiler';

const HERE = fileURLToPath(new URL('.', import.meta.url));

const compiled = (filter, compile) => ({
  name: 'compiled',
  setup: ({onLoad}) => onLoad({filter}, async (file) => (
    {contents: await compile(await readFile(file.path, 'utf8'), file.path), resolveDir: path.dirname(file.path)})),
});
const SVELTE5 = compiled(/\.svelte$/, (source, filename) => compileSvelte5(source, {filename}).js.code);
const SVELTE4 = compiled(/\.svelte$/, (source, filename) => compileSvelte4(source, {filename}).js.code);
const SOLID = compiled(/\.jsx$/, async (source, filename) => (
  await transformAsync(source, {filename, presets: [solid], configFile: false, babelrc: false})).code);

/** Name -> what differs from a plain bundle of apps/<name>.js. */
const APPS = {
  'react-16': {alias: {react: 'react16', 'react-dom': 'react-dom16'}},
  'react-17': {alias: {react: 'react17', 'react-dom': 'react-dom17'}},
  'react-18': {alias: {react: 'react18', 'react-dom': 'react-dom18'}},
  'react-19': {},
  'preact': {},
  'vue-2': {alias: {vue: 'vue2/dist/vue.esm.js'}},
  'vue-3': {alias: {vue: 'vue/dist/vue.esm-bundler.js'}},
  'svelte-4': {alias: {svelte: 'svelte4'}, plugins: [SVELTE4]},
  'svelte-5': {plugins: [SVELTE5]},
  'solid': {plugins: [SOLID]},
  'lit': {},
  'angular': {},
  'alpine': {},
  'htmx': {},
  'jquery-3': {alias: {jquery: 'jquery3'}},
  'jquery-3-delegated': {alias: {jquery: 'jquery3'}},
  'jquery-4': {},
  'jquery-4-delegated': {},
};
const DEFINED = {
  'process.env.NODE_ENV': '"production"',
  '__VUE_OPTIONS_API__': 'true', '__VUE_PROD_DEVTOOLS__': 'false', '__VUE_PROD_HYDRATION_MISMATCH_DETAILS__': 'false',
};
const page = (name) => `<!doctype html>
<meta charset="utf-8">
<title>${name}</title>
<style>button, form, input, a { display: block; min-width: 40px; min-height: 20px }</style>
<body>
<script src="${name}.js"></script>
`;

const folder = path.resolve(process.argv[2]);
await Promise.all(Object.entries(APPS).map(async ([name, options]) => {
  await build({
    absWorkingDir: HERE, entryPoints: [`apps/${name}.js`], outfile: path.join(folder, `${name}.js`), bundle: true,
    minify: true, format: 'iife', platform: 'browser', target: 'es2022', define: DEFINED, logLevel: 'warning', ...options});
  await writeFile(path.join(folder, `${name}.html`), page(name));
}));
