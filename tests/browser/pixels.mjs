// Compares what is on screen with the server's own full image.

import { expect } from './report.mjs';

/** Decodes pictures in a browser page: no image library is needed. */
export class Decoder {
  constructor(page) {
    this.page = page;
  }

  /**
   * Returns the picture's size and, for each rectangle [x, y, w, h], the mean
   * colour and the largest deviation from it over the channels.
   */
  measure(bytes, rectangles) {
    return this.page.evaluate(async ([base64, rects]) => {
      const raw = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([raw], { type: 'image/png' }), { colorSpaceConversion: 'none' });
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext('2d');
      context.drawImage(bitmap, 0, 0);
      const colours = rects.map(([x, y, w, h]) => {
        const { data } = context.getImageData(Math.round(x), Math.round(y), Math.max(1, Math.round(w)), Math.max(1, Math.round(h)));
        const mean = [0, 0, 0];
        const low = [255, 255, 255];
        const high = [0, 0, 0];
        for (let i = 0; i < data.length; i += 4) {
          for (let c = 0; c < 3; c += 1) {
            mean[c] += data[i + c];
            low[c] = Math.min(low[c], data[i + c]);
            high[c] = Math.max(high[c], data[i + c]);
          }
        }
        return {
          mean: mean.map((sum) => sum / (data.length / 4)),
          spread: Math.max(...high.map((top, c) => top - low[c])),
        };
      });
      return { width: bitmap.width, height: bitmap.height, colours };
    }, [Buffer.from(bytes).toString('base64'), rectangles]);
  }
}

// The largest difference a channel may have: JPEG tiles are compared with PNG,
// and where the picture changes around a spot, resampling adds its share.
const tolerance = 12;
const share = 1 / 6;
// A spot is a square of this many CSS pixels, but at least of three image
// pixels, aligned to image pixels.
const side = 5;
// Around a spot JPEG may smear what lies within half of its 16 pixel block.
const smear = 8;
// The picture is looked at in cells by cells parts, in each at its flattest
// of tries by tries spots; fewest is how many must be fit for comparing.
const cells = 5;
const tries = 5;
const roughest = 110;
const fewest = 10;

/**
 * Checks that screenshot, in which the image occupies rectangle place (CSS
 * pixels, density device pixels each), shows the picture in reference.
 * visible(x, y) tells whether nothing lies over a point of the screen.
 *
 * It is also checked that the same spots would not agree with the mirrored
 * picture, or the comparison would prove nothing.
 */
export async function compare(decoder, reference, screenshot, place, density, visible) {
  const { width, height } = await decoder.measure(reference, []);
  const scale = place.width / width;
  const size = Math.max(3, Math.round(side / scale));
  const onScreen = ([x, y, w, h]) => [place.x + x * scale, place.y + y * scale, w * scale, h * scale];
  const spots = await choose(decoder, reference, { width, height, size }, async (rectangle) => {
    const [x, y, w, h] = onScreen(rectangle);
    const corners = await Promise.all([visible(x, y), visible(x + w, y), visible(x, y + h), visible(x + w, y + h)]);
    return corners.every(Boolean);
  });
  const seen = await decoder.measure(screenshot, spots.map((s) => onScreen(s.inImage).map((n) => n * density)));
  const wanted = await decoder.measure(reference, spots.map((s) => s.inImage));
  const mirrored = await decoder.measure(reference, spots.map((s) => square(1 - s.fx, s.fy, size, width, height)));
  const wrong = [];
  let differs = 0;
  spots.forEach((spot, i) => {
    const allowed = tolerance + spot.spread * share;
    if (difference(seen.colours[i].mean, wanted.colours[i].mean) > allowed) {
      wrong.push(`at ${spot.inImage}: shown ${text(seen.colours[i].mean)}, server has ${text(wanted.colours[i].mean)}`);
    }
    if (difference(wanted.colours[i].mean, mirrored.colours[i].mean) > 2 * allowed) differs += 1;
  });
  expect(wrong.length === 0, `${wrong.length} of ${spots.length} spots differ\n${wrong.slice(0, 5).join('\n')}`);
  expect(differs >= 3, 'the picture looks like its mirror image; choose another');
}

/** The flattest spot in sight of each cell. */
async function choose(decoder, reference, { width, height, size }, inSight) {
  const steps = cells * tries;
  const all = [];
  for (let j = 0; j < steps; j += 1) {
    for (let i = 0; i < steps; i += 1) {
      const [fx, fy] = [(i + 0.5) / steps, (j + 0.5) / steps];
      all.push({ fx, fy, cell: Math.floor(j / tries) * cells + Math.floor(i / tries), inImage: square(fx, fy, size, width, height) });
    }
  }
  const around = await decoder.measure(reference, all.map((s) => square(s.fx, s.fy, size + 2 * smear, width, height)));
  all.forEach((spot, i) => { spot.spread = around.colours[i].spread; });
  all.sort((a, b) => a.spread - b.spread);
  const chosen = new Map();
  for (const spot of all) {
    if (spot.spread <= roughest && !chosen.has(spot.cell) && await inSight(spot.inImage)) chosen.set(spot.cell, spot);
  }
  expect(chosen.size >= fewest, `only ${chosen.size} of ${cells * cells} parts have a spot that is flat enough and in sight`);
  return [...chosen.values()];
}

/** Checks one pixel of the reference against what the caller knows. */
export async function expectPixel(decoder, reference, { x, y, colour }) {
  const { colours } = await decoder.measure(reference, [[x, y, 1, 1]]);
  expect(difference(colours[0].mean, colour) <= tolerance, `pixel ${x},${y} is ${text(colours[0].mean)}, not ${text(colour)}`);
}

const difference = (a, b) => Math.max(...a.map((value, c) => Math.abs(value - b[c])));
const text = (colour) => `rgb(${colour.map(Math.round).join(' ')})`;

/** A square of whole pixels around a place in the image, cut at its edges. */
function square(fx, fy, size, width, height) {
  const left = Math.max(0, Math.round(fx * width - size / 2));
  const top = Math.max(0, Math.round(fy * height - size / 2));
  return [left, top, Math.min(size, width - left), Math.min(size, height - top)];
}
