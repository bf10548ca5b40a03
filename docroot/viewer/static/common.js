// What the landing page and the viewer share.

const root = document.documentElement;

/** The relative URL of one identifier in an Image API mount. */
export function imageURL(mount, id) {
  return new URL(mount + encodeURIComponent(id), document.baseURI).href;
}

export const mounts = { v3: root.dataset.iiif3, v2: root.dataset.iiif2 };

/** Element with properties and children; text is never read as HTML. */
export function element(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key in node && !key.includes('-')) node[key] = value;
    else node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** A clone of the icon that the page keeps in a template of that id. */
export function icon(id) {
  return document.getElementById(id).content.firstElementChild.cloneNode(true);
}

const numbers = new Intl.NumberFormat('en');
export const number = (n) => numbers.format(n);

export function plural(n, one, many) {
  return `${number(n)} ${n === 1 ? one : many}`;
}

export function bytes(n) {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (n >= 1024 && unit < units.length - 1) {
    n /= 1024;
    unit += 1;
  }
  return `${unit === 0 || n >= 100 ? number(Math.round(n)) : n.toFixed(1)} ${units[unit]}`;
}

export function date(text) {
  const when = new Date(text);
  return Number.isNaN(when.getTime()) ? '' : when.toLocaleDateString('en', { dateStyle: 'medium' });
}

/** An answer of the server that is not 2xx. */
export class ServerError extends Error {
  constructor(status, detail, retryAfter) {
    super(detail);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

const meanings = {
  401: 'A login is needed to see this.',
  403: 'You may not see this.',
  404: 'There is nothing here.',
  413: 'The image is too large to be made in this size.',
  429: 'Too many requests were made. Try again shortly.',
  503: 'The server is busy. Try again shortly.',
};

/** Reads the reason out of an answer that is not 2xx. */
export async function serverError(response) {
  let detail = meanings[response.status] ?? `The server answered ${response.status}.`;
  if ((response.headers.get('Content-Type') ?? '').includes('json')) {
    try {
      const problem = await response.json();
      detail = problem.detail || problem.title || detail;
    } catch {
      // The meaning of the status has to do.
    }
  }
  const seconds = Number.parseInt(response.headers.get('Retry-After') ?? '', 10);
  return new ServerError(response.status, detail, Number.isNaN(seconds) ? undefined : seconds);
}

export async function getJSON(url, options = {}) {
  let response;
  try {
    response = await fetch(url, options);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Error('The server cannot be reached.');
  }
  if (!response.ok) throw await serverError(response);
  return response.json();
}

/** Tells screen readers; the page has one polite live region. */
export function announce(text) {
  document.getElementById('live').textContent = text;
}

/** Wires the button that goes through system, dark and light theme. */
export function themeButton(button) {
  const order = ['system', 'dark', 'light'];
  const show = () => {
    const now = root.dataset.theme ?? 'system';
    button.setAttribute('aria-label', `Theme: ${now}`);
    button.title = `Theme: ${now}`;
    button.dataset.now = now;
  };
  button.addEventListener('click', () => {
    const now = root.dataset.theme ?? 'system';
    const next = order[(order.indexOf(now) + 1) % order.length];
    if (next === 'system') delete root.dataset.theme;
    else root.dataset.theme = next;
    try {
      localStorage.setItem('iiifd-theme', next);
    } catch {
      // Lasts as long as the page.
    }
    show();
    announce(`Theme: ${next}`);
  });
  show();
}

/** Copies text, also where the page is not a secure context (plain HTTP). */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element('textarea', { value: text, readOnly: true, className: 'offscreen', 'aria-hidden': 'true' });
    const focused = document.activeElement;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    focused?.focus();
    return done;
  }
}
