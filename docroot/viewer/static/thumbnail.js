import { element, icon, serverError } from './common.js';

const attempts = 3;

/**
 * A thumbnail that is fetched when it comes near the screen. Where the server
 * is busy it waits as long as the server asks and tries again; where the
 * image cannot be made, the reason takes its place.
 */
export function thumbnail(base, name) {
  const url = (side) => `${base}/full/!${side},${side}/0/default.jpg`;
  const image = element('img', {
    alt: `Preview of ${name}`, loading: 'lazy', decoding: 'async', width: 200, height: 200,
    srcset: `${url(200)} 1x, ${url(400)} 2x`, src: url(200),
  });
  let tries = 0;
  image.addEventListener('load', () => image.classList.add('loaded'));
  image.addEventListener('error', async () => {
    tries += 1;
    let error;
    try {
      const response = await fetch(image.currentSrc || image.src);
      if (!response.ok) error = await serverError(response);
    } catch {
      error = new Error('The server cannot be reached.');
    }
    const passing = !error || error.status === 503 || error.status === 429;
    if (passing && tries < attempts) {
      const wait = error?.retryAfter ?? 2 ** tries;
      // A random part keeps a page of thumbnails from coming back at once.
      setTimeout(() => {
        const { srcset, src } = image;
        image.srcset = '';
        image.src = src;
        image.srcset = srcset;
      }, 1000 * (wait + Math.random() * 2));
      return;
    }
    const reason = error?.message ?? 'The preview cannot be shown.';
    image.replaceWith(element('span', { className: 'card-broken' },
      icon('icon-broken'), element('span', { textContent: reason })));
  });
  return image;
}
