// The form that puts an Image API 3 URL together.

import { element } from './common.js';
import { addressRow } from './panel.js';

const byId = (id) => document.getElementById(id);
const own = /^\d+,\d+,[1-9]\d*,[1-9]\d*$/;

/** size parameter of the Image API 3.0, section 4.2, never upscaled. */
export function sizeParameter(kind, side) {
  switch (kind) {
    case 'width': return `${side},`;
    case 'height': return `,${side}`;
    case 'box': return `!${side},${side}`;
    case 'pct': return `pct:${side}`;
    default: return 'max';
  }
}

/** Wires the form; view() gives the region on screen. */
export function createBuilder(form, list, view) {
  let base = '';
  const region = () => {
    const kind = byId('b-region').value;
    if (kind === 'view') return view()?.join(',') ?? 'full';
    if (kind === 'own') return own.test(byId('b-region-own').value) ? byId('b-region-own').value : '';
    return kind;
  };
  const update = () => {
    const kind = byId('b-size').value;
    byId('b-region-own-row').hidden = byId('b-region').value !== 'own';
    byId('b-side-row').hidden = kind === 'max';
    byId('b-side-label').textContent = kind === 'pct' ? 'Per cent' : 'Pixels';
    byId('b-side').max = kind === 'pct' ? '100' : '';
    const part = region();
    if (!base || !part || !form.checkValidity()) {
      list.replaceChildren(element('li', { className: 'hint', textContent: base ? 'Fill in the numbers to get a URL.' : '' }));
      return;
    }
    const rotation = (byId('b-mirror').checked ? '!' : '') + byId('b-rotation').value;
    const size = sizeParameter(kind, byId('b-side').value);
    const file = `${byId('b-quality').value}.${byId('b-format').value}`;
    list.replaceChildren(addressRow('Your image', `${base}/${part}/${size}/${rotation}/${file}`));
  };
  form.addEventListener('input', (event) => {
    if (event.target.id === 'b-size') {
      // A number of pixels makes no sense as a percentage and back.
      if (event.target.value === 'pct') byId('b-side').value = 50;
      else if (Number(byId('b-side').value) <= 100) byId('b-side').value = 1200;
    }
    if (event.target.id === 'b-region' && event.target.value === 'own' && !byId('b-region-own').value) {
      byId('b-region-own').value = view()?.join(',') ?? '';
    }
    update();
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  const fill = (select, values, chosen) => {
    const before = select.value;
    select.replaceChildren(...values.map((value) => element('option', { textContent: value })));
    select.value = values.includes(before) ? before : chosen;
  };
  return {
    update,
    show(info, baseURL) {
      base = baseURL;
      fill(byId('b-quality'), [...new Set(['default', ...(info.extraQualities ?? [])])], 'default');
      fill(byId('b-format'), [...new Set(['jpg', 'png', ...(info.extraFormats ?? [])])], 'jpg');
      update();
    },
  };
}
