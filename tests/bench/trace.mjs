/**
 * Loaded before measure.mjs by the benchmark (node --import): notes when what is sent to the browser is answered, and
 * how long the functions of the page folder take, and writes it to the file that BENCH_TRACE names, in milliseconds
 * since the epoch. Nothing of it is in measure/ itself.
 */
import {writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';

const require = createRequire(new URL('../../measure/measure.mjs', import.meta.url));
const {Connection} = require('puppeteer-core/internal/cdp/Connection.js');
const now = () => performance.timeOrigin + performance.now();
const trace = {node_started: performance.timeOrigin, calls: [], pages: []};

/** The library of the page folder, with a clock around each of its parts. */
const timed = (library) => `(() => {
  const library = ${library};
  library.spent = {};
  for (const name of ['settle', 'readBoxes', 'readTokens']) {
    const part = library[name];
    library[name] = function (...args) {
      const start = performance.now();
      const done = (result) => { library.spent[name] = performance.now() - start; return result; };
      const result = part.apply(library, args);
      return result instanceof Promise ? result.then(done) : done(result);
    };
  }
  const {measure} = library;
  library.measure = async function (...args) {
    const result = await measure.apply(library, args);
    return JSON.stringify({...JSON.parse(result), spent: library.spent});
  };
  return library;
})()`;

const send = Connection.prototype._rawSend;
Connection.prototype._rawSend = function (callbacks, method, params, sessionId, ...rest) {
  const given = params?.expression?.startsWith('({settle') ? {...params, expression: timed(params.expression)} : params;
  const start = now();
  const answer = send.call(this, callbacks, method, given, sessionId, ...rest);
  answer.then(({result}) => {
    const [first] = params?.arguments ?? [];
    trace.calls.push({what: [method, first?.value].filter((each) => typeof each === 'string').join(' '), start, end: now()});
    if (first?.value === 'measure') trace.pages.push(JSON.parse(result.value).spent);
  }, () => {});
  return answer;
};
process.on('exit', () => {
  trace.node_ended = now();
  writeFileSync(process.env.BENCH_TRACE, JSON.stringify(trace));
});
