import { announce, getJSON, imageURL, mounts, plural, serverError, themeButton } from './common.js';
import { createBuilder } from './builder.js';
import { addresses, showAddresses, showFacts } from './panel.js';
import { createStage, keys } from './stage.js';

const byId = (id) => document.getElementById(id);
const { pageSuffix, firstPage, title } = document.documentElement.dataset;
const stageElement = byId('stage');
const panel = byId('panel');
const query = new URLSearchParams(location.search);

/** What is shown: a file, and which of its pages, counted from 1. */
const view = { id: query.get('id') ?? '', page: 1, pages: 1, item: null };
let running = new AbortController();

const stage = createStage(byId('canvas'), {
  zoom: showZoom,
  rotate: (degrees) => announce(`Rotated to ${degrees} degrees`),
  flip(flipped) {
    document.querySelector('[data-do="flip"]').setAttribute('aria-pressed', String(flipped));
    announce(flipped ? 'Mirrored' : 'Not mirrored');
  },
  ready() {
    byId('loading').hidden = true;
    stageElement.setAttribute('aria-busy', 'false');
  },
  broken: () => showProblem(new Error('The image information is not usable.')),
  tileFailed: showPartial,
});
const builder = createBuilder(byId('builder'), byId('built'), stage.region);
stage.onViewChange(() => {
  if (byId('b-region').value === 'view') builder.update();
});

let spoken;
function showZoom(percent) {
  const text = `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`;
  if (byId('zoom').value === text) return;
  byId('zoom').value = text;
  clearTimeout(spoken);
  // The zoom that an image is opened with is no news.
  if (stageElement.getAttribute('aria-busy') === 'true') return;
  spoken = setTimeout(() => announce(`Zoom ${text}`), 600);
}

function showProblem(error) {
  stage.close();
  byId('loading').hidden = true;
  byId('tools').hidden = true;
  byId('problem').hidden = false;
  byId('problem-text').textContent = error.message;
  byId('facts').replaceChildren();
  byId('links').replaceChildren();
  stageElement.setAttribute('aria-busy', 'false');
}

/** Says that tiles are missing, and what the server says about the first one. */
async function showPartial(url) {
  if (!byId('partial').hidden) return;
  byId('partial').hidden = false;
  byId('partial-text').textContent = 'Parts of the image could not be loaded.';
  const { signal } = running;
  try {
    const response = await fetch(url, { signal });
    if (response.ok) return;
    const { message } = await serverError(response);
    if (!signal.aborted) byId('partial-text').textContent = message;
  } catch {
    // Without an answer there is no more to say.
  }
}

function showPages() {
  const many = view.pages > 1;
  byId('pages').hidden = !many;
  byId('page-keys').hidden = !many;
  byId('page').value = view.page;
  byId('page').max = view.pages;
  byId('page-count').textContent = view.pages;
  byId('page-previous').disabled = view.page <= 1;
  byId('page-next').disabled = view.page >= view.pages;
}

/** The identifier of the page shown; the first page is the file itself. */
function pageID() {
  if (view.page === 1) return view.id;
  return `${view.id}${pageSuffix}${view.page - 1 + Number(firstPage)}`;
}

/** Loads and draws the page that view names. */
async function show() {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  stageElement.setAttribute('aria-busy', 'true');
  byId('loading').hidden = false;
  byId('problem').hidden = true;
  byId('partial').hidden = true;
  showPages();
  const id = pageID();
  let info;
  try {
    info = await getJSON(`${imageURL(mounts.v3, id)}/info.json`, { signal });
  } catch (error) {
    if (error.name !== 'AbortError') showProblem(view.item?.error ? new Error(view.item.error) : error);
    return;
  }
  const names = addresses(info, id);
  showFacts(byId('facts'), info, view.item, view.pages);
  showAddresses(byId('links'), byId('elsewhere'), names);
  builder.show(info, names.base3);
  byId('tools').hidden = false;
  const label = view.pages > 1 ? `${view.item?.name ?? view.id}, page ${view.page} of ${view.pages}` : (view.item?.name ?? view.id);
  // The tiles come from where this page came from, whatever the public name.
  stage.open({ ...info, id: names.here3 }, label);
  if (view.pages > 1) announce(`Page ${view.page} of ${plural(view.pages, 'page', 'pages')}`);
}

function turnTo(page) {
  const wanted = Math.min(Math.max(1, Math.trunc(page) || view.page), view.pages);
  byId('page').value = wanted;
  if (wanted === view.page) return;
  view.page = wanted;
  const form = new URLSearchParams({ id: view.id });
  if (wanted > 1) form.set('page', wanted);
  history.replaceState(null, '', `?${form}`);
  show();
}

function fill() {
  const button = document.querySelector('[data-do="fill"]');
  const on = button.getAttribute('aria-pressed') !== 'true';
  // Phones that give full screen to videos only still lose the bars.
  if (on) document.documentElement.requestFullscreen?.().catch(() => {});
  else if (document.fullscreenElement) document.exitFullscreen();
  setFilled(on);
}

function setFilled(on) {
  document.body.classList.toggle('filled', on);
  document.querySelector('[data-do="fill"]').setAttribute('aria-pressed', String(on));
}

function showPanel(open, focus) {
  panel.hidden = !open;
  byId('details').setAttribute('aria-expanded', String(open));
  if (focus) (open ? panel : byId('details')).focus();
}

/**
 * Single characters act only while the image or its buttons have the focus
 * (WCAG 2.1.4); moving by arrow keys is OpenSeadragon's.
 */
function onKey(event) {
  if (event.target.matches('input, select') || event.ctrlKey || event.metaKey || event.altKey) return;
  const action = stageElement.contains(event.target) && !byId('tools').hidden && keys[event.key];
  if (action) {
    event.preventDefault();
    stage[action]();
    return;
  }
  if (event.key === 'Escape') {
    if (document.body.classList.contains('filled')) setFilled(false);
    else if (panel.contains(document.activeElement)) showPanel(false, true);
  } else if (view.pages > 1 && (event.key === 'PageUp' || event.key === 'PageDown') && !panel.contains(event.target)) {
    event.preventDefault();
    turnTo(view.page + (event.key === 'PageUp' ? -1 : 1));
  }
}

function wire() {
  themeButton(byId('theme'));
  for (const button of document.querySelectorAll('[data-do]')) {
    const action = button.dataset.do;
    button.addEventListener('click', action === 'fill' ? fill : () => stage[action]());
  }
  byId('skip').addEventListener('click', (event) => {
    event.preventDefault();
    stage.focus();
  });
  byId('details').addEventListener('click', () => showPanel(panel.hidden, panel.hidden));
  byId('close').addEventListener('click', () => showPanel(false, true));
  byId('again').addEventListener('click', show);
  byId('reload').addEventListener('click', show);
  byId('page-previous').addEventListener('click', () => turnTo(view.page - 1));
  byId('page-next').addEventListener('click', () => turnTo(view.page + 1));
  byId('page').addEventListener('change', () => turnTo(Number(byId('page').value)));
  byId('pages').addEventListener('submit', (event) => event.preventDefault());
  document.addEventListener('keydown', onKey);
  document.addEventListener('fullscreenchange', () => setFilled(Boolean(document.fullscreenElement)));
  showPanel(matchMedia('(min-width: 64rem)').matches, false);
}

async function start() {
  wire();
  if (!view.id) {
    showProblem(new Error('The address of this page names no image.'));
    return;
  }
  const dir = view.id.includes('/') ? view.id.slice(0, view.id.lastIndexOf('/')) : '';
  if (dir) byId('back').href = `../?${new URLSearchParams({ dir })}`;
  byId('name').textContent = view.id.split('/').pop();
  byId('name').title = view.id;
  document.title = `${byId('name').textContent} – ${title}`;
  try {
    view.item = await getJSON(`api/item?${new URLSearchParams({ id: view.id })}`);
    view.pages = view.item.pages || 1;
  } catch {
    // Facts are a help; the image information decides what can be shown.
  }
  view.page = Math.min(Math.max(1, Math.trunc(Number(query.get('page'))) || 1), view.pages);
  await show();
}

start();
