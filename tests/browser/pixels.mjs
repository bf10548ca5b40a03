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

// The largest difference a channel may have: JPEG tiles are compared with PNG.
const tolerance = 14;
const side = 5;
const grid = [0.06, 0.17, 0.28, 0.39, 0.5, 0.61, 0.72, 0.83, 0.94];

/**
 * Checks that screenshot, in which the image occupies rectangle place (CSS
 * pixels, density device pixels each), shows the picture in reference.
 * visible(x, y) tells whether nothing lies over a point of the screen.
 *
 * Compared are the flattest spots of a grid, where resampling changes
 * nothing. It is also checked that the same spots would not agree with the
 * mirrored picture, or the comparison would prove nothing.
 */
export async function compare(decoder, reference, screenshot, place, density, visible) {
  const { width, height } = await decoder.measure(reference, []);
  const scale = place.width / width;
  const block = side / scale;
  const spots = [];
  for (const fy of grid) {
    for (const fx of grid) {
      const x = place.x + fx * place.width;
      const y = place.y + fy * place.height;
      if (await visible(x, y)) spots.push({ fx, fy, x, y });
    }
  }
  const around = (fx, fy, size) => clip(fx * width - size / 2, fy * height - size / 2, size, width, height);
  const wide = await decoder.measure(reference, spots.map((s) => around(s.fx, s.fy, block * 2)));
  spots.forEach((spot, i) => Object.assign(spot, wide.colours[i]));
  const flat = spots.filter((spot) => spot.spread <= 40);
  expect(flat.length >= 6, `only ${flat.length} of ${spots.length} spots are flat enough to compare`);
  const seen = await decoder.measure(screenshot, flat.map((s) => [
    (s.x - side / 2) * density, (s.y - side / 2) * density, side * density, side * density]));
  const wanted = await decoder.measure(reference, flat.map((s) => around(s.fx, s.fy, block)));
  const mirrored = await decoder.measure(reference, flat.map((s) => around(1 - s.fx, s.fy, block)));
  const wrong = [];
  let differs = 0;
  flat.forEach((spot, i) => {
    const off = difference(seen.colours[i].mean, wanted.colours[i].mean);
    if (off > tolerance) {
      wrong.push(`at ${spot.fx},${spot.fy}: shown ${text(seen.colours[i].mean)}, server has ${text(wanted.colours[i].mean)}`);
    }
    if (difference(wanted.colours[i].mean, mirrored.colours[i].mean) > 3 * tolerance) differs += 1;
  });
  expect(wrong.length === 0, `${wrong.length} of ${flat.length} spots differ\n${wrong.slice(0, 5).join('\n')}`);
  expect(differs > 0, 'the picture looks like its mirror image; choose another');
  return flat.length;
}

/** Checks one pixel of the reference against what the caller knows. */
export async function expectPixel(decoder, reference, { x, y, colour }) {
  const { colours } = await decoder.measure(reference, [[x, y, 1, 1]]);
  expect(difference(colours[0].mean, colour) <= tolerance, `pixel ${x},${y} is ${text(colours[0].mean)}, not ${text(colour)}`);
}

const difference = (a, b) => Math.max(...a.map((value, c) => Math.abs(value - b[c])));
const text = (colour) => `rgb(${colour.map(Math.round).join(' ')})`;

function clip(x, y, size, width, height) {
  const left = Math.max(0, Math.min(x, width - 1));
  const top = Math.max(0, Math.min(y, height - 1));
  return [left, top, Math.min(size, width - left), Math.min(size, height - top)];
}
