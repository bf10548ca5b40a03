// The landing page: lists, filters, is usable by keyboard and on a phone.

import { devices, openPage } from './browser.mjs';
import { lowContrast, nameless } from './contrast.mjs';
import { expect } from './report.mjs';

export const listed = (page) => page.waitForSelector('#main[aria-busy="false"]');

export async function noSidewaysScroll(page) {
  const [wide, seen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  expect(wide <= seen, `the page is ${wide} pixels wide on a screen of ${seen}`);
}

/** Presses Tab until the link to the viewer of id has the focus. */
async function tabTo(page, id) {
  const wanted = `viewer/?id=${encodeURIComponent(id)}`;
  for (let i = 0; i < 400; i += 1) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => document.activeElement?.getAttribute('href'));
    if (at === wanted) return;
  }
  throw new Error(`400 presses of Tab did not reach ${wanted}`);
}

const folderOf = (id) => (id.includes('/') ? `?dir=${encodeURIComponent(id.slice(0, id.lastIndexOf('/')))}` : '');
const listURL = (base, id) => `${base}${folderOf(id) || '?'}${folderOf(id) ? '&' : ''}q=${encodeURIComponent(nameOf(id))}`;
const nameOf = (id) => id.split('/').pop();

async function pictures(page) {
  await page.waitForFunction(() => {
    const near = [...document.querySelectorAll('.card img')].filter((img) => img.getBoundingClientRect().top < innerHeight);
    return near.every((img) => img.complete && img.naturalWidth > 0);
  });
  const broken = await page.$$eval('.card-broken', (nodes) => nodes.map((node) => node.closest('.card').innerText));
  expect(broken.length === 0, `thumbnails without a picture: ${broken.join('; ')}`);
}

export async function checkLanding(context) {
  const { report, browser, base, images, unreadable, shot } = context;
  await checkOthers(context);
  for (const [device, options] of Object.entries(devices)) {
    for (const colorScheme of ['light', 'dark']) {
      const { page, troubles, close } = await openPage(browser, { ...options, colorScheme });
      await report.check(`landing page lists images (${device}, ${colorScheme})`, async () => {
        await page.goto(base);
        await listed(page);
        expect(await page.locator('.card').count() + await page.locator('.folder').count() > 0, 'nothing is listed');
        await pictures(page);
        await noSidewaysScroll(page);
        await shot(page, `landing-${device}-${colorScheme}`);
      });
      await report.check(`landing page is readable (${device}, ${colorScheme})`, async () => {
        const found = [...await lowContrast(page), ...await nameless(page)];
        expect(found.length === 0, found.join('\n'));
      });
      await report.check(`landing page has no trouble (${device}, ${colorScheme})`, () => expect(troubles.length === 0, troubles.join('\n')));
      await close();
    }
  }
  for (const id of unreadable) {
    const { page, troubles, close } = await openPage(browser, devices.desktop);
    await report.check(`landing page says why ${id} cannot be shown`, async () => {
      await page.goto(listURL(base, id));
      await listed(page);
      const card = page.locator('.card.unreadable', { hasText: nameOf(id) });
      const reason = await card.locator('.card-error').innerText();
      expect(/\w+ \w+/.test(reason) && !reason.includes('/'), `the reason is “${reason}”`);
      await shot(page, 'landing-unreadable');
      expect(troubles.length === 0, troubles.join('\n'));
    });
    await close();
  }
  const { page, troubles, close } = await openPage(browser, devices.desktop);
  await report.check('search narrows the list and can be cleared', async () => {
    const id = images[0].id;
    await page.goto(base + folderOf(id));
    await listed(page);
    const all = await page.locator('.card').count();
    await page.focus('#q');
    await page.keyboard.type(nameOf(id).toUpperCase());
    await page.waitForFunction((name) => [...document.querySelectorAll('.card-name')].every((node) => node.textContent.includes(name)), nameOf(id));
    await listed(page);
    expect(await page.locator('.card').count() >= 1, 'the image itself is not found');
    await page.fill('#q', 'no such name \u2620');
    await page.waitForSelector('#no-match:not([hidden])');
    await page.click('#clear');
    await page.waitForFunction((n) => document.querySelectorAll('.card').length === n, all);
  });
  await report.check('search has no trouble', () => expect(troubles.length === 0, troubles.join('\n')));
  await close();
}

/** Files that are no images are named apart from the pictures. */
async function checkOthers({ report, browser, base, shot }) {
  const { page, troubles, close } = await openPage(browser, devices.desktop);
  await report.check('files that are no images stand apart, with the reason', async () => {
    const reason = 'The server cannot read images of this kind.';
    await page.route('**/viewer/api/list?*', async (route) => {
      const response = await route.fetch();
      const listing = await response.json();
      listing.items.push({ id: 'scan.xml', name: 'scan.xml', size: 512, error: reason, other: true });
      await route.fulfill({ response, json: listing });
    });
    await page.goto(base);
    await listed(page);
    expect(await page.locator('.card', { hasText: 'scan.xml' }).count() === 0, 'it is among the pictures');
    expect((await page.locator('#status').innerText()).includes('1 other file'), await page.locator('#status').innerText());
    const entry = page.locator('#others li', { hasText: 'scan.xml' });
    expect(!await entry.isVisible(), 'the group is open');
    await page.click('#others-count');
    const text = await entry.innerText();
    expect(text.includes(reason), text);
    const found = [...await lowContrast(page), ...await nameless(page)];
    expect(found.length === 0, found.join('\n'));
    await entry.scrollIntoViewIfNeeded();
    await shot(page, 'landing-others');
    expect(troubles.length === 0, troubles.join('\n'));
  });
  await close();
}

/** Opens the viewer of an image from the landing page by keyboard alone. */
export async function openByKeyboard(page, base, id) {
  await page.goto(listURL(base, id));
  await listed(page);
  await tabTo(page, id);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname.endsWith('/viewer/'));
}
