/**
 * Measures a built product in a headless Chrome and prints what was found: facts, no judgement.
 *
 *   node measure.mjs            two lines of JSON on stdin, one line of JSON on stdout
 *
 * First line: {"chrome": path, "folder": an empty one for all that Chrome writes, "sandbox": true|false}; Chrome starts
 * on it at once. Or {"url": of a browser that is running}. Second line: measure-request.v1. The answer is
 * measurement.v1, with exit code 0 whenever there is one to report; otherwise the reason goes to stderr and the exit
 * code is 1. It ends when its stdin does, and with it a Chrome that it started.
 */
import os from 'node:os';
import {createInterface} from 'node:readline';
import {browserOf, puppeteerVersion} from './driver/browser.mjs';
import {Budget, LIMITS, Unmeasurable} from './driver/limits.mjs';

let browser = null;

/** Nobody is left to report to, or nothing more to report: everything that was started goes. */
function abandon() {
  browser?.end();
  // Chrome's own processes, and a wrapper script's, are in this process's group when it leads one.
  try { process.kill(-process.pid, 'SIGKILL'); } catch { process.exit(1); }
}

async function main(input) {
  const line = async () => JSON.parse((await input.next()).value);
  browser = browserOf(await line());
  const ready = browser.connect().then(async (connection) => {
    const [{product}] = await Promise.all([
      connection.send('Browser.getVersion'), connection.send('Target.setDiscoverTargets', {discover: true})]);
    return {connection, product};
  });
  ready.catch(() => {});                       // looked at below, once there is a request
  const {visit} = await import('./driver/visit.mjs');
  const request = await line();
  const budget = new Budget(request.budget_ms);
  const {connection, product} = await budget.within(ready, LIMITS.load, 'browser', 'Chrome did not answer in time')
    .catch(async (error) => {
      // What it said last may come after its end of the pipe was closed.
      if (!(error instanceof Unmeasurable)) await budget.within(browser.gone, LIMITS.event, 'browser', '').catch(() => {});
      throw new Unmeasurable('browser', [error.detail ?? 'Chrome could not be used', browser.lastWords()].filter(Boolean).join(': '));
    });
  const colors = {};
  const measured = async (job) => {
    const where = {breakpoint: job.breakpoint.name, page: job.page};
    try {
      const {facts, declared_colors: seen} = await visit(connection, job, request, budget);
      Object.assign(colors, seen);
      return {...where, error: null, ...facts};
    } catch (error) {
      if (error instanceof Unmeasurable) return {...where, error: {stage: error.stage, detail: error.detail}};
      await budget.within(browser.gone, LIMITS.event, 'browser', '').catch(() => {});
      return {...where, error: {stage: 'browser', detail: [error.message, browser.lastWords()].filter(Boolean).join(': ')}};
    }
  };
  const visits = await inParallel(jobsOf(request), async (job) => {
    const found = await measured(job);
    if (request.tells) process.stdout.write(`${JSON.stringify({over: job.breakpoint.name})}\n`);
    return found;
  });
  // A breakpoint that was lost with its browser says nothing of the product.
  if (browser.ended() !== null && visits.some(({error}) => error !== null)) throw new Unmeasurable('browser', browser.lastWords());
  const environment = {browser: product, node: process.version, puppeteer: puppeteerVersion()};
  return {schema: 'measurement.v1', environment, declared_colors: colors, visits};
}

/** One job for each visit that is asked for, in order; one without elements is opened all the same. */
function jobsOf({visits, breakpoints, pages, elements}) {
  return visits.map(({breakpoint, page}) => ({
    url: pages[page], page, breakpoint: breakpoints.find(({name}) => name === breakpoint),
    elements: elements.map((element, index) => ({index, ...element}))
      .filter((element) => element.page === page && element.breakpoints.includes(breakpoint)),
  }));
}

/** Most of a visit is waiting, so more of them run side by side than there are cores. */
async function inParallel(jobs, work) {
  const results = new Array(jobs.length);
  let next = 0;
  const worker = async () => {
    while (next < jobs.length) {
      const mine = next;
      next += 1;
      results[mine] = await work(jobs[mine]);
    }
  };
  await Promise.all(Array.from({length: Math.min(jobs.length, 4 * os.availableParallelism())}, worker));
  return results;
}

/** Ends by itself: what was written is flushed, whatever its size, where process.exit() would cut it off. */
function finish() {
  lines.off('close', abandon);
  lines.close();
  process.stdin.destroy();
  browser?.end();
}

// Puppeteer parses what Chrome says where nobody can catch it.
process.once('uncaughtException', (error) => {
  const garbage = `browser: what Chrome said was not understood (${error.message.slice(0, 200)}); is it a Chrome?`;
  process.stderr.write(`${error instanceof SyntaxError ? [garbage, browser?.lastWords()].filter(Boolean).join(' ') : error.stack}\n`);
  finish();
  process.exit(1);
});
const lines = createInterface({input: process.stdin, crlfDelay: Infinity});
lines.once('close', abandon);
process.stdin.once('error', abandon);
try {
  process.stdout.write(`${JSON.stringify(await main(lines[Symbol.asyncIterator]()))}\n`);
} catch (error) {
  // Not left to end by itself: an address that does not answer would hold it up.
  // Where the system refused something (EMFILE, ENOMEM), it is not the code that has to be looked at.
  const reason = error instanceof Unmeasurable || error.code !== undefined ? error.message : error.stack;
  process.stderr.write(`${reason}\n`, () => process.exit(1));
}
finish();
