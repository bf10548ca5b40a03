// The facts and URLs of one image.

import { announce, bytes, copy, date, element, imageURL, mounts, number, plural } from './common.js';

/** A list entry with a URL and a button that copies it. */
export function addressRow(label, url) {
  const button = element('button', { type: 'button', textContent: 'Copy', 'aria-label': `Copy URL: ${label}` });
  let back;
  button.addEventListener('click', async () => {
    const done = await copy(url);
    button.textContent = done ? 'Copied' : 'Failed';
    announce(done ? `Copied URL: ${label}` : 'Copying is not allowed here. Open the link instead.');
    clearTimeout(back);
    back = setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  return element('li', {}, element('span', { className: 'label', textContent: label }),
    element('div', { className: 'row' },
      element('a', { className: 'code', href: url, title: url, 'aria-label': `${label}: ${url}` }, element('bdi', { textContent: url })),
      button));
}

/**
 * The image's URLs as the server spells them. The info.json's id is the
 * name to publish, also where this page was reached under another one.
 */
export function addresses(info, id) {
  const here3 = imageURL(mounts.v3, id);
  const here2 = imageURL(mounts.v2, id);
  const base3 = info.id ?? here3;
  const root3 = new URL(mounts.v3, document.baseURI).href;
  const root2 = new URL(mounts.v2, document.baseURI).href;
  // The 2.1 name has the same host and prefix; only the mount differs.
  const mount3 = commonEnd(root3, root2)[0];
  const at = base3.lastIndexOf(mount3);
  const base2 = at < 0 ? here2 : base3.slice(0, at) + commonEnd(root3, root2)[1] + base3.slice(at + mount3.length);
  return { here3, here2, base3, base2 };
}

/** What differs at the end of two URLs, each with the slash before it. */
function commonEnd(a, b) {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i += 1;
  const start = a.lastIndexOf('/', i - 1);
  return [a.slice(start), b.slice(start)];
}

export function showAddresses(list, note, names) {
  const { base3, base2, here3 } = names;
  list.replaceChildren(
    addressRow('info.json, IIIF 3.0', `${base3}/info.json`),
    addressRow('info.json, IIIF 2.1', `${base2}/info.json`),
    addressRow('Thumbnail', `${base3}/full/!200,200/0/default.jpg`),
    addressRow('Largest image', `${base3}/full/max/0/default.jpg`),
    addressRow('Original file', `${base3}/file`));
  note.hidden = decodeURI(base3) === decodeURI(here3);
  note.textContent = `The server gives its public name. You reached this image at ${here3}`;
}

export function showFacts(list, info, item, pages) {
  const rows = [];
  const add = (name, text) => text && rows.push(element('dt', { textContent: name }), element('dd', { textContent: text }));
  const millions = (info.width * info.height) / 1e6;
  add('Size', `${number(info.width)} × ${number(info.height)} pixels${millions >= 0.1 ? ` (${millions.toFixed(1)} MP)` : ''}`);
  add('File', item?.size ? bytes(item.size) : '');
  add('Changed', item?.modified ? date(item.modified) : '');
  add('Pages', pages > 1 ? number(pages) : '');
  const tile = info.tiles?.[0];
  add('Tiles', tile
    ? `${number(tile.width)} × ${number(tile.height ?? tile.width)}, ${plural(tile.scaleFactors.length, 'level', 'levels')}`
    : 'none');
  const sides = info.maxWidth && `${number(info.maxWidth)} × ${number(info.maxHeight ?? info.maxWidth)} pixels`;
  const area = info.maxArea && `${number(info.maxArea)} pixels in all`;
  add('Sent up to', [sides, area].filter(Boolean).join(', '));
  add('Compliance', String(info.profile ?? '').replace('level', 'level '));
  list.replaceChildren(...rows);
  if (/^https?:/.test(info.rights ?? '')) {
    list.append(element('dt', { textContent: 'Rights' }),
      element('dd', {}, element('a', { href: info.rights, rel: 'noreferrer', textContent: info.rights })));
  }
}
