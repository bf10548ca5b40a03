import { announce, bytes, element, getJSON, icon, imageURL, mounts, number, plural, themeButton } from './common.js';
import { thumbnail } from './thumbnail.js';

const pageSize = 60;
const byId = (id) => document.getElementById(id);
const grid = byId('grid');
const folders = byId('folders');
const status = byId('status');
const others = byId('others');
const more = byId('more');
const search = byId('q');
const { title } = document.documentElement.dataset;

/** What is shown: a folder, a filter, and how far it is loaded. */
const view = { dir: '', query: '', next: '', total: 0, loaded: 0, folders: 0, others: 0 };
let running = new AbortController();

function pageLink(dir, query = '') {
  const form = new URLSearchParams();
  if (dir) form.set('dir', dir);
  if (query) form.set('q', query);
  const text = form.toString();
  return text ? `?${text}` : './';
}

function card(item) {
  const facts = [
    item.width && item.height ? `${number(item.width)} × ${number(item.height)}` : '',
    item.pages > 1 ? plural(item.pages, 'page', 'pages') : '',
    item.size ? bytes(item.size) : '',
  ].filter(Boolean).join(' · ');
  const text = element('span', { className: 'card-text' },
    element('span', { className: 'card-name', textContent: item.name, title: item.name }),
    element('span', { className: item.error ? 'card-error' : 'card-facts', textContent: item.error || facts }));
  if (item.error) {
    return element('li', {}, element('div', { className: 'card unreadable' },
      element('span', { className: 'card-picture' }, icon('icon-broken')), text));
  }
  const link = element('a', { className: 'card', href: `viewer/?id=${encodeURIComponent(item.id)}` },
    element('span', { className: 'card-picture' }, thumbnail(imageURL(mounts.v3, item.id), item.name)), text);
  return element('li', {}, link);
}

/** A file that is no image is named with the reason, out of the pictures' way. */
function otherFile(item) {
  const size = item.size ? ` (${bytes(item.size)})` : '';
  return element('li', {}, element('span', { className: 'other-name', textContent: item.name }),
    element('span', { className: 'other-reason', textContent: `${item.error}${size}` }));
}

function crumbs(dir) {
  const list = byId('crumbs');
  list.replaceChildren();
  const parts = dir ? dir.split('/') : [];
  const add = (label, to, last) => list.append(element('li', {}, last
    ? element('span', { 'aria-current': 'page', textContent: label })
    : element('a', { href: pageLink(to), textContent: label })));
  add('All images', '', parts.length === 0);
  parts.forEach((part, i) => add(part, parts.slice(0, i + 1).join('/'), i === parts.length - 1));
  byId('trail').hidden = parts.length === 0;
}

function showStatus() {
  const counts = [];
  if (view.folders) counts.push(plural(view.folders, 'folder', 'folders'));
  if (view.loaded) counts.push(plural(view.loaded, 'image', 'images'));
  if (view.others) counts.push(plural(view.others, 'other file', 'other files'));
  let text = counts.join(', ');
  if (view.next && view.total) text = `${text} of ${number(view.total)} in all`;
  else if (view.next) text = `First ${text}`;
  status.textContent = text && view.query ? `${text} for “${view.query}”` : text;
}

/** The page says what to do where there is nothing to see. */
function showEmpty() {
  const nothing = !view.loaded && !view.folders && !view.others && !view.next;
  byId('empty').hidden = !nothing || Boolean(view.query) || Boolean(view.dir);
  byId('empty-folder').hidden = !nothing || Boolean(view.query) || !view.dir;
  byId('no-match').hidden = !nothing || !view.query;
  byId('no-match-query').textContent = view.query;
  byId('intro').hidden = nothing || Boolean(view.dir || view.query);
}

function showFailure(error) {
  byId('failure').hidden = !error;
  byId('failure-text').textContent = error?.message ?? '';
  if (error) status.textContent = '';
}

function append(listing) {
  const fragment = document.createDocumentFragment();
  for (const folder of listing.folders) {
    folders.append(element('li', {}, element('a', { className: 'folder', href: pageLink(folder.dir) },
      icon('icon-folder'), element('span', { textContent: folder.name }))));
  }
  const files = listing.items.filter((item) => item.other);
  const images = listing.items.filter((item) => !item.other);
  for (const item of images) fragment.append(card(item));
  const first = fragment.firstElementChild;
  grid.append(fragment);
  byId('others-list').append(...files.map(otherFile));
  view.folders += listing.folders.length;
  view.loaded += images.length;
  view.others += files.length;
  view.next = listing.next ?? '';
  view.total = listing.total ?? view.total;
  folders.hidden = view.folders === 0;
  others.hidden = view.others === 0;
  byId('others-count').textContent = `Other files (${number(view.others)})`;
  more.hidden = !view.next;
  return first;
}

async function load() {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const form = new URLSearchParams({ limit: pageSize });
  if (view.dir) form.set('dir', view.dir);
  if (view.query) form.set('q', view.query);
  if (view.next) form.set('after', view.next);
  const fresh = !view.next;
  byId('main').setAttribute('aria-busy', 'true');
  more.disabled = true;
  if (fresh) status.textContent = 'Loading…';
  try {
    const listing = await getJSON(`viewer/api/list?${form}`, { signal });
    if (signal.aborted) return undefined;
    if (fresh) {
      grid.replaceChildren();
      folders.replaceChildren();
      byId('others-list').replaceChildren();
      others.open = false;
    }
    showFailure(null);
    const first = append(listing);
    showStatus();
    showEmpty();
    return first;
  } catch (error) {
    if (error.name !== 'AbortError') showFailure(error);
    return undefined;
  } finally {
    if (!signal.aborted) {
      more.disabled = false;
      byId('main').setAttribute('aria-busy', 'false');
    }
  }
}

/** Shows the folder and filter that the address bar names. */
function show() {
  const form = new URLSearchParams(location.search);
  Object.assign(view, {
    dir: form.get('dir') ?? '', query: form.get('q') ?? '', next: '', total: 0, loaded: 0, folders: 0, others: 0,
  });
  if (search.value.trim() !== view.query) search.value = view.query;
  const name = view.dir.split('/').pop();
  byId('heading').textContent = name || 'Images';
  document.title = name ? `${name} – ${title}` : title;
  search.placeholder = name ? `Search in ${name}` : 'Search by name';
  crumbs(view.dir);
  return load();
}

let typing;
function filter() {
  clearTimeout(typing);
  const query = search.value.trim();
  if (query === view.query) return;
  history.replaceState(null, '', pageLink(view.dir, query));
  show();
}
search.addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(filter, 250);
});
byId('search').addEventListener('submit', (event) => {
  event.preventDefault();
  filter();
});
byId('clear').addEventListener('click', () => {
  search.value = '';
  filter();
  search.focus();
});
byId('retry').addEventListener('click', () => (view.loaded || view.folders || view.others ? load() : show()));
more.addEventListener('click', async (event) => {
  const before = view.loaded;
  const first = await load();
  announce(`${plural(view.loaded - before, 'more image', 'more images')} loaded`);
  // detail is 0 for a press of a key: who reads by keyboard goes on at the
  // first new image instead of at the page's end.
  if (event.detail === 0 || more.hidden) first?.querySelector('a')?.focus();
});
window.addEventListener('popstate', show);

themeButton(byId('theme'));
show();
