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
const source = path.join(here, 'node_modules', '@sparticuz', 'chromium');
const packed = path.join(source, 'bin', 'chromium.br');
const folder = path.join(here, '.chromium');
const shell = path.join(folder, 'chrome-headless-shell');
const stamp = path.join(folder, 'version');
/** Beginning of a shared library's name → the Debian package that has it. */
const LIBRARIES = {libnspr4: 'libnspr4', libplc4: 'libnspr4', libplds4: 'libnspr4', libexpat: 'libexpat1'};
const OTHERS = 'libnss3';                     // libnss3, libnssutil3, libsmime3, libsoftokn3 …
const OWN_CHROME = 'install Chrome or Chromium, or set VISUAL_ARBITER_CHROME_PATH to one';

/** A sentence that a person can act on. */
class Unusable extends Error {}

const text = (file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null);

async function unpack(version) {
  // It makes a folder for its locales beside itself where there is none, and nothing is to be written at run time.
  fs.mkdirSync(path.join(folder, 'locales'), {recursive: true});
  fs.rmSync(stamp, {force: true});
  // Under another name until it is whole: an interrupted set-up must not leave half a browser.
  const partial = `${shell}.partial`;
  await pipeline(fs.createReadStream(packed), createBrotliDecompress(), fs.createWriteStream(partial, {mode: 0o755}));
  fs.renameSync(partial, shell);
  fs.writeFileSync(stamp, version);
}

/** What the dynamic linker does not find, as Debian packages. */
function missingPackages() {
  let listed;
  try {
    listed = execFileSync('ldd', [shell], {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']});
  } catch {
    throw new Unusable(`This system cannot run the embedded Chromium, which is for Linux with glibc: ${OWN_CHROME}.`);
  }
  const missing = [...listed.matchAll(/^\s*(\S+) => not found/gm)].map(([, library]) => LIBRARIES[library.split('.')[0]] ?? OTHERS);
  return [...new Set(missing)].sort();
}

async function main() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Unusable(`There is no embedded Chromium for ${process.platform} on ${process.arch}: ${OWN_CHROME}.`);
  }
  if (!fs.existsSync(packed)) {
    throw new Unusable(`The npm package @sparticuz/chromium is not there: run "npm ci" in measure/ without omitting optional packages; or ${OWN_CHROME}.`);
  }
  const {version} = JSON.parse(text(path.join(source, 'package.json')));
  if (!fs.existsSync(shell) || text(stamp) !== version) {
    await unpack(version);
    console.log(`set-up: unpacked the embedded Chromium ${version}`);
  }
  const missing = missingPackages();
  if (missing.length > 0) {
    throw new Unusable(`The embedded Chromium lacks shared libraries; on Debian: apt-get install ${missing.join(' ')}`);
  }
}

try {
  await main();
} catch (error) {
  const reason = error instanceof Unusable ? error.message : `The embedded Chromium could not be unpacked (${error.message}): ${OWN_CHROME}.`;
  console.error(`set-up: ${reason}`);
  process.exitCode = 1;
}
