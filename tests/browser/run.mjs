// Looks at a running server with a browser.
//
//   node run.mjs BASE --image ID [--pixel X,Y=RRGGBB]... [--image ID ...]
//        [--paged ID] [--unreadable ID] [--out DIR] [--chromium PATH] [--only landing,viewer,openseadragon,mirador]
//
// BASE is the address of the landing page; the images are expected at
// BASE/iiif/3 and BASE/iiif/2. --pixel says what a pixel of the image before
// it must be. --paged names a file whose second page is looked at too,
// --unreadable one that must be listed with a reason. Screenshots go to DIR. Exits with 1 where a check failed.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { devices, launch, openPage } from './browser.mjs';
import { startHost } from './host.mjs';
import { checkLanding } from './landing.mjs';
import { checkMirador, checkOpenSeadragon } from './peers.mjs';
import { Decoder, expectPixel } from './pixels.mjs';
import { Report, expect } from './report.mjs';
import { checkViewer } from './viewer.mjs';

const suites = { landing: checkLanding, viewer: checkViewer, openseadragon: checkOpenSeadragon, mirador: checkMirador };

function usage(text) {
  console.error(`${text}\nusage: node run.mjs BASE --image ID [--pixel X,Y=RRGGBB] [--paged ID] [--unreadable ID] [--out DIR] [--chromium PATH] [--only SUITES]`);
  process.exit(2);
}

function parsePixel(text) {
  const match = /^(\d+),(\d+)=#?([0-9a-f]{6})$/i.exec(text ?? '');
  if (!match) usage(`${text} is not X,Y=RRGGBB`);
  const [, x, y, hex] = match;
  return { x: Number(x), y: Number(y), colour: [0, 2, 4].map((i) => Number.parseInt(hex.slice(i, i + 2), 16)) };
}

function parse(args) {
  const options = { images: [], paged: [], unreadable: [], out: 'out', chromium: '/usr/bin/chromium', only: Object.keys(suites) };
  while (args.length > 0) {
    const word = args.shift();
    if (word.startsWith('--') && args.length === 0) usage(`${word} needs a value`);
    switch (word) {
      case '--image': options.images.push({ id: args.shift(), pixels: [], first: options.images.length === 0 }); break;
      case '--pixel': (options.images.at(-1) ?? usage('--pixel before --image')).pixels.push(parsePixel(args.shift())); break;
      case '--paged': options.paged.push(args.shift()); break;
      case '--unreadable': options.unreadable.push(args.shift()); break;
      case '--out': options.out = args.shift(); break;
      case '--chromium': options.chromium = args.shift(); break;
      case '--only': options.only = args.shift().split(','); break;
      default:
        if (word.startsWith('-') || options.base) usage(`${word} is not understood`);
        options.base = word.endsWith('/') ? word : `${word}/`;
    }
  }
  if (!options.base || options.images.length === 0) usage('BASE and an image are needed');
  const unknown = options.only.find((name) => !suites[name]);
  if (unknown) usage(`there is no suite ${unknown}`);
  return options;
}

/** Fetches what the image is compared with, from the server itself. */
async function prepare(context, image) {
  const url = `${context.base}iiif/3/${encodeURIComponent(image.id)}`;
  image.slug = image.id.replaceAll(/[^a-z0-9.]+/gi, '_');
  await context.report.check(`reference of ${image.id}`, async () => {
    const info = await fetch(`${url}/info.json`);
    expect(info.ok, `${info.status} ${url}/info.json`);
    image.info = await info.json();
    const full = await fetch(`${url}/full/max/0/default.png`);
    expect(full.ok, `${full.status} ${url}/full/max/0/default.png`);
    image.reference = await full.arrayBuffer();
    for (const pixel of image.pixels) await expectPixel(context.decoder, image.reference, pixel);
  });
}

async function main() {
  const options = parse(process.argv.slice(2));
  mkdirSync(options.out, { recursive: true });
  const report = new Report();
  const browser = await launch(options.chromium);
  const host = await startHost(options.base);
  const tools = await openPage(browser, devices.desktop);
  const context = {
    ...options, report, browser, host,
    decoder: new Decoder(tools.page),
    shot: (page, name) => page.screenshot({ path: path.join(options.out, `${name}.png`) }),
  };
  try {
    // The decoder needs a page with an origin.
    await tools.page.goto(`${options.base}viewer/assets/-/icon.svg`);
    for (const image of options.images) await prepare(context, image);
    context.images = options.images.filter((image) => image.reference);
    if (context.images.length > 0) {
      for (const name of options.only) await suites[name](context);
    }
  } finally {
    await browser.close();
    host.close();
  }
  console.log(`${report.passed} passed, ${report.failed} failed`);
  return report.failed === 0 ? 0 : 1;
}

try {
  process.exit(await main());
} catch (error) {
  console.error(error);
  process.exit(1);
}
