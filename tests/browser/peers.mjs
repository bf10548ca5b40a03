// Other viewers, from another origin, over both versions of the Image API.

import { devices, openPage } from './browser.mjs';
import { compare } from './pixels.mjs';
import { expect } from './report.mjs';

const everywhere = () => true;

export async function checkOpenSeadragon({ report, browser, base, host, images, decoder, shot }) {
  for (const version of [3, 2]) {
    for (const image of images) {
      const { page, troubles, close } = await openPage(browser, devices.desktop);
      await report.check(`OpenSeadragon draws ${image.id} over Image API ${version}`, async () => {
        const info = `${base}iiif/${version}/${encodeURIComponent(image.id)}/info.json`;
        await page.goto(`${host.origin}/openseadragon?info=${encodeURIComponent(info)}`);
        await page.waitForFunction(() => window.drawn);
        const place = await page.evaluate(() => {
          const box = window.view.viewport.viewportToViewerElementRectangle(window.view.world.getItemAt(0).getBounds(true));
          return { x: box.x, y: box.y, width: box.width, height: box.height };
        });
        await compare(decoder, image.reference, await page.screenshot(), place, 1, everywhere);
        await shot(page, `openseadragon-${version}-${image.slug}`);
        expect(troubles.length === 0, troubles.join('\n'));
      });
      await close();
    }
  }
}

/** Mirador fits the image into its canvas and keeps OpenSeadragon to itself. */
async function miradorPlace(page, { width, height }) {
  const box = await page.locator('.openseadragon-canvas').first().boundingBox();
  const scale = Math.min(box.width / width, box.height / height);
  return {
    x: box.x + (box.width - width * scale) / 2,
    y: box.y + (box.height - height * scale) / 2,
    width: width * scale,
    height: height * scale,
  };
}

export async function checkMirador({ report, browser, base, host, images, decoder, shot }) {
  for (const image of images) {
    // A word of React to Mirador's authors.
    const { page, troubles, close } = await openPage(browser, devices.desktop, ['Accessing element.ref was removed']);
    await report.check(`Mirador draws ${image.id}`, async () => {
      const info = `${base}iiif/3/${encodeURIComponent(image.id)}/info.json`;
      const manifest = `${host.origin}/manifest.json?info=${encodeURIComponent(info)}`;
      let tiles = 0;
      page.on('response', (response) => {
        if (response.url().startsWith(info.replace('info.json', '')) && !response.url().endsWith('info.json')) tiles += 1;
      });
      await page.goto(`${host.origin}/mirador?manifest=${encodeURIComponent(manifest)}`);
      await page.waitForSelector('.openseadragon-canvas canvas');
      await settled(page, async () => {
        expect(tiles > 0, 'Mirador asked for no image');
        const place = await miradorPlace(page, image.info);
        await compare(decoder, image.reference, await page.screenshot(), place, 1, onCanvas(page));
      });
      await shot(page, `mirador-${image.slug}`);
      expect(troubles.length === 0, troubles.join('\n'));
    });
    await close();
  }
}

/** The canvas without the bar of controls, which lets clicks through. */
const onCanvas = (page) => (x, y) => page.evaluate(([left, top]) => {
  const bars = [...document.querySelectorAll('.mirador-canvas-nav')].map((node) => node.getBoundingClientRect());
  const under = (bar) => left >= bar.left && left <= bar.right && top >= bar.top && top <= bar.bottom;
  return !bars.some(under) && Boolean(document.elementFromPoint(left, top)?.closest('.openseadragon-canvas'));
}, [x, y]);

/** Mirador has no sign that it is done: the check is repeated until it holds. */
async function settled(page, check) {
  const end = Date.now() + 20000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await page.waitForTimeout(300);
    }
  }
}
