/**
 * The physical limit of the visual arbiter's job: a bare puppeteer-core script that opens the same page in the same
 * Chrome at the same viewports side by side, waits for fonts.ready and 300 ms, reads the same boxes and prints them.
 * It pins nothing, guards against nothing, reads no style and fires no event.
 *
 *   node limit.mjs CHROME URL SELECTORS WIDTH...      SELECTORS: a file with a JSON list
 */
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';

const puppeteer = createRequire(new URL('../../measure/measure.mjs', import.meta.url))('puppeteer-core');
const [chrome, url, file, ...widths] = process.argv.slice(2);
const selectors = JSON.parse(readFileSync(file, 'utf8'));
const args = process.getuid() === 0 ? ['--no-sandbox'] : [];
const headless = chrome.endsWith('headless-shell') ? 'shell' : true;
const browser = await puppeteer.launch({executablePath: chrome, headless, pipe: true, args});
const boxes = await Promise.all(widths.map(async (width) => {
  const page = await browser.newPage();
  await page.setViewport({width: Number(width), height: 900});
  await page.goto(url);
  return page.evaluate(async (wanted) => {
    await document.fonts.ready;
    await new Promise((resolve) => { setTimeout(resolve, 300); });
    return wanted.map((selector) => {
      const {x, y, width: w, height: h} = document.querySelector(selector).getBoundingClientRect();
      return {x, y, w, h};
    });
  }, selectors);
}));
process.stdout.write(`${JSON.stringify(boxes)}\n`);
browser.process().kill('SIGKILL');
