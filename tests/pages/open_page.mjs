// Opens a file in the browser as a person would. stdin: {chrome, file, width, height, scheme, media, scripts, keys, expression};
// stdout: {value, said, requested}: what the expression gives, what the console said, and what the page asked for.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const puppeteer = createRequire(new URL('../../measure/package.json', import.meta.url))('puppeteer-core');
const asked = JSON.parse(readFileSync(0, 'utf8'));
const browser = await puppeteer.launch({
  executablePath: asked.chrome, pipe: true, args: process.getuid() === 0 ? ['--no-sandbox'] : [],
});
try {
  const page = await browser.newPage();
  const said = [], requested = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('dialog', (dialog) => { said.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => requested.push(request.url()));
  await page.setViewport({ width: asked.width, height: asked.height });
  // In one call: puppeteer's own two take each other's setting back.
  await (await page.createCDPSession()).send('Emulation.setEmulatedMedia', {
    media: asked.media ?? '', features: [{ name: 'prefers-color-scheme', value: asked.scheme }],
  });
  if (asked.scripts === false) await page.setJavaScriptEnabled(false);
  await page.goto(asked.file, { waitUntil: 'load' });
  for (const key of asked.keys) await page.keyboard.press(key);
  const value = await page.evaluate(asked.expression);
  process.stdout.write(JSON.stringify({ value, said, requested }));
} finally {
  await browser.close();
}
