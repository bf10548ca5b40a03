// The embedded viewer: draws the right pixels, works by keyboard, gives
// URLs that work.

import { devices, openPage } from './browser.mjs';
import { lowContrast, nameless } from './contrast.mjs';
import { prefix } from './host.mjs';
import { noSidewaysScroll, openByKeyboard } from './landing.mjs';
import { compare } from './pixels.mjs';
import { expect } from './report.mjs';

export const viewerURL = (base, id) => `${base}viewer/?id=${encodeURIComponent(id)}`;
const drawn = (page) => page.waitForSelector('#stage[aria-busy="false"]');
const zoom = (page) => page.$eval('#zoom', (node) => Number.parseFloat(node.value));

/** Where the image lies on screen, from the viewer's own OpenSeadragon. */
const place = (page) => page.evaluate(() => {
  const osd = OpenSeadragon.getViewer(document.getElementById('canvas'));
  const corner = osd.element.getBoundingClientRect();
  const box = osd.viewport.viewportToViewerElementRectangle(osd.world.getItemAt(0).getBounds(true));
  return { x: corner.x + box.x, y: corner.y + box.y, width: box.width, height: box.height };
});

const uncovered = (page) => (x, y) => page.evaluate(
  ([left, top]) => Boolean(document.elementFromPoint(left, top)?.closest('.openseadragon-canvas')), [x, y]);

async function expectImage(context, page, image, density = 1) {
  await drawn(page);
  const problem = await page.$eval('#problem', (node) => (node.hidden ? '' : node.innerText));
  expect(!problem, problem);
  await compare(context.decoder, image.reference, await page.screenshot(), await place(page), density, uncovered(page));
}

async function panelFits(page) {
  const [wide, seen] = await page.$eval('#panel', (node) => [node.scrollWidth, node.clientWidth]);
  expect(wide <= seen, `the panel's contents are ${wide} pixels wide in ${seen}`);
}

async function checkKeyboard({ report }, page) {
  await report.check('keys zoom and reset the view', async () => {
    await page.focus('#skip');
    await page.keyboard.press('Enter');
    const before = await zoom(page);
    await page.keyboard.press('+');
    await page.waitForFunction((was) => Number.parseFloat(document.getElementById('zoom').value) > was, before);
    await page.keyboard.press('0');
    await page.waitForFunction((was) => Number.parseFloat(document.getElementById('zoom').value) === was, before);
  });
  await report.check('buttons work by keyboard and are announced', async () => {
    await page.focus('[data-do="rotateRight"]');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.getElementById('live').textContent.includes('90 degrees'));
    await page.focus('[data-do="home"]');
    await page.keyboard.press('Space');
    await page.focus('[data-do="flip"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-do="flip"][aria-pressed="true"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-do="flip"][aria-pressed="false"]');
  });
}

async function checkURLs({ report }, page) {
  await report.check('URLs lead to what they say', async () => {
    const urls = await page.$$eval('#links a, #built a', (nodes) => nodes.map((node) => node.href));
    expect(urls.length === 6, `${urls.length} URLs`);
    const types = [];
    for (const url of urls) {
      const answer = await page.request.get(url);
      expect(answer.status() === 200, `${answer.status()} ${url}`);
      types.push(answer.headers()['content-type']);
    }
    expect(types.slice(0, 2).every((type) => type.includes('json')), `info.json: ${types}`);
    expect(types.slice(2).every((type) => type.startsWith('image/') || type.startsWith('application/')), `images: ${types}`);
  });
  await report.check('a URL can be built and copied', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.selectOption('#b-region', 'square');
    await page.selectOption('#b-size', 'width');
    await page.fill('#b-side', '20');
    await page.selectOption('#b-rotation', '90');
    await page.selectOption('#b-format', 'png');
    await page.click('#built button');
    await page.waitForFunction(() => document.getElementById('live').textContent.startsWith('Copied'));
    const url = await page.evaluate(() => navigator.clipboard.readText());
    expect(url.endsWith('/square/20,/90/default.png'), url);
    const answer = await page.request.get(url);
    expect(answer.headers()['content-type'] === 'image/png', `${answer.status()} ${url}`);
  });
}

async function checkImage(context, image) {
  const { report, browser, base, shot } = context;
  const label = image.id;
  for (const [device, options] of Object.entries(devices)) {
    const { page, troubles, close } = await openPage(browser, options);
    await report.check(`viewer draws ${label} (${device}${device === 'desktop' ? ', opened by keyboard' : ''})`, async () => {
      if (device === 'desktop') await openByKeyboard(page, base, image.id);
      else await page.goto(viewerURL(base, image.id));
      await expectImage(context, page, image, options.deviceScaleFactor);
      await noSidewaysScroll(page);
      await shot(page, `viewer-${device}-${image.slug}`);
    });
    if (image.first && device === 'desktop') {
      await checkKeyboard(context, page);
      await checkURLs(context, page);
    }
    if (image.first && device === 'phone') {
      await report.check('details open and close on a phone', async () => {
        await page.tap('#details');
        await page.waitForSelector('#panel:not([hidden])');
        await panelFits(page);
        await shot(page, 'viewer-phone-details');
        await page.tap('#close');
        await page.waitForSelector('#panel', { state: 'hidden' });
        expect(await page.evaluate(() => document.activeElement.id) === 'details', 'the focus does not return');
      });
    }
    await report.check(`viewer has no trouble with ${label} (${device})`, () => expect(troubles.length === 0, troubles.join('\n')));
    await close();
  }
}

/** Turns to the second page and back by keyboard. */
async function checkPages(context, id) {
  const { report, browser, base, shot } = context;
  const { page, troubles, close } = await openPage(browser, devices.desktop);
  await report.check(`viewer turns the pages of ${id}`, async () => {
    await page.goto(viewerURL(base, id));
    await drawn(page);
    await page.focus('#skip');
    await page.keyboard.press('Enter');
    const first = await page.$eval('#links a', (node) => node.href);
    const turned = page.waitForResponse((response) => response.url().endsWith('/info.json') && response.url() !== first);
    await page.keyboard.press('PageDown');
    const info = await (await turned).json();
    const full = await fetch(`${info.id}/full/max/0/default.png`);
    expect(full.ok, `${full.status} ${full.url}`);
    await expectImage(context, page, { reference: await full.arrayBuffer() });
    expect(new URL(page.url()).searchParams.get('page') === '2', page.url());
    await page.waitForFunction(() => document.getElementById('live').textContent.startsWith('Page 2 of'));
    await shot(page, 'viewer-desktop-pages');
    await page.keyboard.press('PageUp');
    await page.waitForFunction((url) => document.querySelector('#links a')?.href === url, first);
    expect(troubles.length === 0, troubles.join('\n'));
  });
  await close();
}

/** Tiles that the server cannot make: the viewer says what the server says. */
async function checkDamaged({ report, browser, base, images, shot }) {
  const { page, close } = await openPage(browser, devices.desktop);
  await report.check('viewer tells why tiles are missing', async () => {
    const detail = 'The stored image is damaged or cut off.';
    await page.route(/\/default\.(jpg|webp|png)$/, (route) => route.fulfill({
      status: 500, contentType: 'application/problem+json', body: JSON.stringify({ code: 'source_corrupt', detail }),
    }));
    await page.goto(viewerURL(base, images[0].id));
    await page.waitForFunction((text) => document.getElementById('partial').innerText.startsWith(text), detail);
    await shot(page, 'viewer-damaged');
  });
  await close();
}

export async function checkViewer(context) {
  await checkDamaged(context);
  const { report, browser, base, images, host, shot } = context;
  for (const image of images) await checkImage(context, image);
  for (const id of context.paged) await checkPages(context, id);
  for (const colorScheme of ['light', 'dark']) {
    const { page, close } = await openPage(browser, { ...devices.desktop, colorScheme });
    await report.check(`viewer is readable (${colorScheme})`, async () => {
      await page.goto(viewerURL(base, images[0].id));
      await drawn(page);
      const found = [...await lowContrast(page), ...await nameless(page)];
      expect(found.length === 0, found.join('\n'));
      await panelFits(page);
      await shot(page, `viewer-desktop-${colorScheme}`);
    });
    await close();
  }
  const behind = await openPage(browser, devices.desktop);
  await report.check('viewer works behind a path prefix', async () => {
    await openByKeyboard(behind.page, `${host.origin}${prefix}/`, images[0].id);
    await expectImage(context, behind.page, images[0]);
    expect(behind.troubles.length === 0, behind.troubles.join('\n'));
  });
  await behind.close();
  const missing = await openPage(browser, devices.desktop, ['404']);
  await report.check('viewer says so where there is no such image', async () => {
    await missing.page.goto(viewerURL(base, 'no such image.tif'));
    await missing.page.waitForSelector('#problem:not([hidden])');
    await shot(missing.page, 'viewer-missing');
    expect(missing.troubles.length === 0, missing.troubles.join('\n'));
  });
  await missing.close();
}
