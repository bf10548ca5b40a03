// The OpenSeadragon side of the viewer.

const still = matchMedia('(prefers-reduced-motion: reduce)').matches;

/** What a key does while the view or one of its buttons has the focus. */
export const keys = {
  '+': 'zoomIn', '=': 'zoomIn', '-': 'zoomOut', '_': 'zoomOut', '\u2212': 'zoomOut',
  0: 'home', r: 'rotateRight', R: 'rotateLeft', f: 'flip',
};

/**
 * Makes the deep zoom view in container. on.zoom(percent), on.rotate(degrees),
 * on.flip(bool), on.ready(), on.broken() and on.tileFailed(url) are called as
 * things happen; 100 % is one image pixel to a CSS pixel.
 */
export function createStage(container, on) {
  // OpenSeadragon adds inline style unless an element of this name and
  // attribute is there; the content security policy would refuse it with an
  // error. In no namespace it is an element without a meaning.
  const decoy = document.createElementNS(null, 'style');
  decoy.setAttribute('data-openseadragon-mobile-css', 'true');
  document.head.append(decoy);
  const osd = OpenSeadragon({
    element: container,
    // The same drawing everywhere, with or without a graphics processor.
    drawer: 'canvas',
    showNavigationControl: false,
    showNavigator: matchMedia('(min-width: 52.01rem)').matches,
    navigatorPosition: 'TOP_RIGHT',
    navigatorSizeRatio: 0.16,
    navigatorDisplayRegionColor: '#86d3e0',
    animationTime: still ? 0 : 0.7,
    visibilityRatio: 0.4,
    minZoomImageRatio: 0.7,
    maxZoomPixelRatio: 4,
    gestureSettingsTouch: { pinchRotate: false },
    gestureSettingsMouse: { clickToZoom: false, dblClickToZoom: true },
    // A busy server refuses a tile and means "later".
    tileRetryMax: 3,
    tileRetryDelay: 2500,
    timeout: 90000,
  });
  // The page reads these itself: OpenSeadragon goes by the place of a key on
  // an American keyboard, where + is elsewhere than on most others.
  osd.addHandler('canvas-key', (event) => {
    event.preventDefaultAction = keys[event.originalEvent.key] !== undefined;
  });
  osd.canvas.setAttribute('role', 'application');
  osd.canvas.setAttribute('aria-roledescription', 'zoomable image');

  const zoom = () => {
    const item = osd.world.getItemAt(0);
    if (!item) return;
    on.zoom(item.viewportToImageZoom(osd.viewport.getZoom(true)) * 100);
    // The overview helps only where part of the image is out of sight.
    osd.navigator?.element.classList.toggle('unneeded', osd.viewport.getZoom(true) < osd.viewport.getHomeZoom() * 1.02);
  };
  // A view of the whole image stays one when the window or the panel changes.
  let whole = true;
  const isWhole = () => Math.abs(osd.viewport.getZoom() / osd.viewport.getHomeZoom() - 1) < 0.01;
  osd.addHandler('animation-finish', () => { whole = isWhole(); });
  osd.addHandler('resize', () => {
    if (!whole) return;
    // OpenSeadragon sets its own zoom once this event is over.
    queueMicrotask(() => {
      osd.viewport.goHome(true);
      whole = true;
    });
  });
  osd.addHandler('open', () => {
    whole = true;
    zoom();
    osd.whenFullyLoaded(on.ready);
  });
  osd.addHandler('open-failed', on.broken);
  osd.addHandler('update-viewport', zoom);
  osd.addHandler('rotate', ({ degrees }) => on.rotate(((Math.round(degrees) % 360) + 360) % 360));
  osd.addHandler('flip', ({ flipped }) => on.flip(flipped));
  osd.addHandler('tile-load-failed', ({ maxReached, tile }) => {
    if (maxReached !== false) on.tileFailed(tile.getUrl());
  });

  const rotate = (degrees) => osd.viewport.rotateBy(degrees, undefined, still);
  return {
    open(info, label) {
      osd.canvas.setAttribute('aria-label', `${label}. Plus and minus zoom, arrow keys move, 0 shows the whole image.`);
      osd.open(info);
    },
    close: () => osd.close(),
    focus: () => osd.canvas.focus(),
    zoomIn: () => osd.viewport.zoomBy(1.5, undefined, still).applyConstraints(still),
    zoomOut: () => osd.viewport.zoomBy(1 / 1.5, undefined, still).applyConstraints(still),
    home: () => {
      osd.viewport.setRotation(0, still);
      osd.viewport.setFlip(false);
      osd.viewport.goHome(still);
    },
    rotateLeft: () => rotate(-90),
    rotateRight: () => rotate(90),
    flip: () => osd.viewport.toggleFlip(),
    onViewChange: (listener) => osd.addHandler('animation-finish', listener),
    /** The part of the image on screen as [x, y, width, height] in pixels. */
    region() {
      const item = osd.world.getItemAt(0);
      if (!item) return undefined;
      const { x: width, y: height } = item.getContentSize();
      const seen = item.viewportToImageRectangle(osd.viewport.getBoundsNoRotate(true));
      const left = Math.max(0, Math.floor(seen.x));
      const top = Math.max(0, Math.floor(seen.y));
      const right = Math.min(width, Math.ceil(seen.x + seen.width));
      const bottom = Math.min(height, Math.ceil(seen.y + seen.height));
      return right > left && bottom > top ? [left, top, right - left, bottom - top] : [0, 0, width, height];
    },
  };
}
