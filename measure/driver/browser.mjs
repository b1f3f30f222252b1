/** Starts Chrome, or joins one, and speaks the DevTools protocol with it: the only importer of puppeteer-core. */
import {spawn} from 'node:child_process';
import {createRequire} from 'node:module';
import path from 'node:path';
import {Unmeasurable} from './limits.mjs';

const require = createRequire(import.meta.url);

const FLAGS = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-startup-window',
  // What is rendered must not depend on the machine.
  '--hide-scrollbars', '--force-color-profile=srgb', '--font-render-hinting=none', '--lang=en-US', '--mute-audio',
  // Pages that nobody looks at are measured at full speed.
  '--disable-background-timer-throttling', '--disable-backgrounding-occluded-windows', '--disable-renderer-backgrounding',
  '--disable-ipc-flooding-protection', '--disable-hang-monitor',
  // Nothing is asked, fetched, stored or shown that is not the page's.
  '--no-first-run', '--no-default-browser-check', '--disable-background-networking', '--disable-component-update',
  '--disable-default-apps', '--disable-extensions', '--disable-sync', '--disable-quic', '--disable-gpu',
  '--disable-client-side-phishing-detection', '--disable-breakpad', '--disable-crash-reporter',
  '--metrics-recording-only', '--password-store=basic', '--use-mock-keychain', '--block-new-web-contents',
  '--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,PrintPreview,HttpsUpgrades',
  // A container's /dev/shm may be too small for a renderer.
  '--disable-dev-shm-usage',
];
const STDERR_BYTES = 4096;
const NO_TIMEOUT = 0;                         // every wait has its own bound in limits.mjs, and no timer per message

/** What a browser printed, without what differs from run to run: its log prefix (pid, thread, clock) and the folder. */
function plain(text, folder) {
  return text
    .replaceAll(folder, '<folder>')
    .replace(/\[\d+:\d+:[\d/.]+:(\w+):([^\]]*?)(:\d+|\(\d+\))?\]/g, '[$1:$2]')
    .trim().split('\n').slice(-8).join('\n');
}

/** A browser: of its own, or one that is running. {connect(), end(), gone, ended(), lastWords()}; see launch(). */
export const browserOf = ({url, ...own}) => (url === undefined ? launch(own) : join(url));

const connectionOver = (transport) => {
  const {Connection} = require('puppeteer-core/internal/cdp/Connection.js');
  return new Connection('', transport, 0, NO_TIMEOUT);
};

/**
 * Starts Chrome at once; it is joined later, so that modules load while it starts. All that it writes lands in
 * `folder`: a browser keeps settings and caches outside of its profile, too.
 * Returns {connect(): a promise of a puppeteer Connection, end(), gone: a promise, kept once it has ended, ended(): how
 * it has, or null, lastWords(): that and what it said last}.
 */
function launch({chrome, folder, sandbox}) {
  const at = (name) => path.join(folder, name);
  const flags = [...FLAGS, `--user-data-dir=${at('profile')}`, ...(sandbox ? [] : ['--no-sandbox'])];
  const env = {
    ...process.env, HOME: folder, TMPDIR: folder, TZ: 'UTC', LANG: 'en_US.UTF-8', LANGUAGE: 'en_US', LC_ALL: '',
    XDG_CONFIG_HOME: at('config'), XDG_CACHE_HOME: at('cache'), XDG_DATA_HOME: at('data'), XDG_RUNTIME_DIR: folder,
  };
  const child = spawn(chrome, flags, {env, stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'], cwd: folder});
  let said = '';
  let ending = null;
  // A child that could not be started for want of file descriptors has no pipes at all.
  const pipes = child.stdio ?? [];
  child.stderr?.setEncoding('utf8').on('data', (text) => { said = (said + text).slice(-STDERR_BYTES); });
  for (const pipe of pipes) pipe?.on('error', () => {});   // a dying browser closes its end first
  const gone = new Promise((resolve) => {
    child.once('error', (error) => { ending = `it could not be started: ${error.code ?? error.message}`; resolve(); });
    child.once('close', (code, signal) => { ending ??= signal ? `it was ended by ${signal}` : `it ended with exit code ${code}`; resolve(); });
  });
  return {
    gone,
    lastWords: () => [ending, plain(said, folder)].filter(Boolean).join('; it last said:\n'),
    ended: () => ending,
    end: () => { child.kill('SIGKILL'); for (const pipe of pipes) pipe?.destroy(); },
    async connect() {
      if (!pipes[4]) throw new Unmeasurable('browser', 'no pipes to Chrome could be made: expected more file descriptors (ulimit -n)');
      const {PipeTransport} = require('puppeteer-core/internal/node/PipeTransport.js');
      return connectionOver(new PipeTransport(child.stdio[3], child.stdio[4]));
    },
  };
}

/**
 * Joins a browser that is running, by its WebSocket (ws:, wss:) or by the address that names it (http:, https:; the
 * DevTools HTTP endpoint /json/version). It lives on; what was made in it goes with the connection, however that ends.
 */
function join(url) {
  let [transport, ending, depart] = [null, null, null];
  const gone = new Promise((resolve) => { depart = resolve; });
  return {
    gone,
    ended: () => ending,
    lastWords: () => ending ?? '',
    end: () => transport?.close(),
    async connect() {
      const {NodeWebSocketTransport} = require('puppeteer-core/internal/node/NodeWebSocketTransport.js');
      try {
        transport = await NodeWebSocketTransport.create(url.startsWith('http') ? await socketOf(url) : url);
      } catch (error) {
        // Neither the address, which may hold a secret, nor a port.
        const {code, message = 'no connection'} = error.error ?? error.cause ?? error;
        const why = code ?? message.replace(/\S*:[/\d]\S*/g, '…');
        throw new Unmeasurable('browser', `the one that VISUAL_ARBITER_BROWSER_URL names cannot be reached (${why}): expected a Chrome that listens there`);
      }
      const connection = connectionOver(transport);
      const closed = transport.onclose;
      transport.onclose = () => {
        ending = 'the one that VISUAL_ARBITER_BROWSER_URL names closed the connection';
        closed();
        depart();
      };
      return connection;
    },
  };
}

/** The WebSocket address that a browser's own page of versions names. */
async function socketOf(url) {
  const address = new URL(url);
  address.pathname = address.pathname.replace(/\/?$/, '/json/version');
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`HTTP status ${answer.status}`);
  const {webSocketDebuggerUrl: socket} = await answer.json().catch(() => ({}));
  if (typeof socket !== 'string') throw new Error('no webSocketDebuggerUrl in its /json/version');
  return socket;
}

export const puppeteerVersion = () => require('puppeteer-core/package.json').version;
