/**
 * Unpacks the embedded Chromium (the npm package @sparticuz/chromium) into measure/.chromium, once, at set-up: a
 * headless shell for Linux on x64, for machines without a Chrome of their own.
 *
 *   node embedded.mjs           prints what it did; exit code 1 and a sentence where there is none for this machine
 */
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {pipeline} from 'node:stream/promises';
import {fileURLToPath} from 'node:url';
import {createBrotliDecompress} from 'node:zlib';

const here = path.dirname(fileURLToPath(import.meta.url));
const packed = path.join(here, 'node_modules', '@sparticuz', 'chromium', 'bin', 'chromium.br');
const folder = path.join(here, '.chromium');
const shell = path.join(folder, 'chrome-headless-shell');
/** Shared library → the Debian package that has it. */
const LIBRARIES = {'libnss3.so': 'libnss3', 'libnssutil3.so': 'libnss3', 'libsmime3.so': 'libnss3', 'libnspr4.so': 'libnspr4', 'libexpat.so.1': 'libexpat1'};

async function unpack() {
  fs.mkdirSync(folder, {recursive: true});
  // Under another name until it is whole: an interrupted set-up must not leave half a browser.
  const partial = `${shell}.${process.pid}`;
  await pipeline(fs.createReadStream(packed), createBrotliDecompress(), fs.createWriteStream(partial, {mode: 0o755}));
  fs.renameSync(partial, shell);
}

function missingPackages() {
  const listed = execFileSync('ldd', [shell], {encoding: 'utf8'});
  const missing = [...listed.matchAll(/^\s*(\S+) => not found/gm)].map(([, library]) => LIBRARIES[library] ?? library);
  return [...new Set(missing)];
}

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.error(`There is no embedded Chromium for ${process.platform} on ${process.arch}: install Chrome, or set VISUAL_ARBITER_CHROME_PATH to one.`);
  process.exitCode = 1;
} else if (!fs.existsSync(packed) && !fs.existsSync(shell)) {
  console.error('The npm package @sparticuz/chromium is not there: run "npm ci" in measure/ without omitting optional packages, or install Chrome.');
  process.exitCode = 1;
} else {
  if (!fs.existsSync(shell)) {
    await unpack();
    console.log('set-up: unpacked the embedded Chromium');
  }
  const missing = missingPackages();
  if (missing.length > 0) {
    console.error(`The embedded Chromium needs shared libraries that are missing; on Debian: apt-get install ${missing.join(' ')}`);
    process.exitCode = 1;
  }
}
