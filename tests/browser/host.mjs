// A second loopback port: pages of other viewers, which so load the server's
// images from another origin, and the server again behind a path prefix.

import { readFileSync } from 'node:fs';
import http from 'node:http';

const scripts = {
  '/openseadragon.js': new URL('node_modules/openseadragon/build/openseadragon/openseadragon.min.js', import.meta.url),
  '/mirador.js': new URL('node_modules/mirador/dist/mirador.min.js', import.meta.url),
};

export const prefix = '/museum/images';

const html = (body) => `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">
<style>html,body,#view{margin:0;width:100%;height:100%;position:relative;overflow:hidden}</style><div id="view"></div>${body}</html>`;

const quote = (value) => JSON.stringify(value).replaceAll('<', '\\u003c');

function openSeadragonPage(info) {
  return html(`<script src="/openseadragon.js"></script><script>
    window.view = OpenSeadragon({ id: 'view', drawer: 'canvas', crossOriginPolicy: 'Anonymous', showNavigationControl: false,
      animationTime: 0, tileSources: ${quote(info)} });
    view.addHandler('open', () => view.whenFullyLoaded(() => { window.drawn = true; }));
  </script>`);
}

function miradorPage(manifest) {
  return html(`<script src="/mirador.js"></script><script>
    window.mirador = Mirador.viewer({ id: 'view', osdConfig: { drawer: 'canvas', animationTime: 0 },
      window: { allowClose: false, sideBarOpen: false, allowTopMenuButton: false },
      workspaceControlPanel: { enabled: false },
      windows: [{ manifestId: ${quote(manifest)} }] });
  </script>`);
}

/** The least a Presentation 3.0 client needs to show one image. */
export function manifest(self, info) {
  const canvas = `${self}#canvas`;
  return {
    '@context': 'http://iiif.io/api/presentation/3/context.json',
    id: self,
    type: 'Manifest',
    label: { en: ['One image'] },
    items: [{
      id: canvas,
      type: 'Canvas',
      width: info.width,
      height: info.height,
      items: [{
        id: `${self}#page`,
        type: 'AnnotationPage',
        items: [{
          id: `${self}#annotation`,
          type: 'Annotation',
          motivation: 'painting',
          target: canvas,
          body: {
            id: `${info.id}/full/max/0/default.jpg`,
            type: 'Image',
            format: 'image/jpeg',
            width: info.width,
            height: info.height,
            service: [{ id: info.id, type: 'ImageService3', profile: info.profile }],
          },
        }],
      }],
    }],
  };
}

function proxy(base, request, answer) {
  const target = new URL(request.url.slice(prefix.length), base);
  const onward = http.request(target, { method: request.method, headers: { ...request.headers, host: target.host } }, (got) => {
    answer.writeHead(got.statusCode, got.headers);
    got.pipe(answer);
  });
  onward.on('error', () => answer.destroy());
  request.pipe(onward);
}

/** Starts the port; close() ends it. */
export async function startHost(base) {
  const server = http.createServer(async (request, answer) => {
    const url = new URL(request.url, 'http://localhost');
    const send = (type, body) => answer.writeHead(200, { 'Content-Type': type }).end(body);
    try {
      if (url.pathname.startsWith(`${prefix}/`)) proxy(base, request, answer);
      else if (scripts[url.pathname]) send('text/javascript', readFileSync(scripts[url.pathname]));
      else if (url.pathname === '/openseadragon') send('text/html', openSeadragonPage(url.searchParams.get('info')));
      else if (url.pathname === '/mirador') send('text/html', miradorPage(url.searchParams.get('manifest')));
      else if (url.pathname === '/manifest.json') {
        const info = await (await fetch(url.searchParams.get('info'))).json();
        send('application/ld+json', JSON.stringify(manifest(`${origin()}${request.url}`, info)));
      } else answer.writeHead(404).end();
    } catch (error) {
      answer.writeHead(500).end(String(error));
    }
  });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  const origin = () => `http://127.0.0.1:${server.address().port}`;
  return {
    origin: origin(),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
