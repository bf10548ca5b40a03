// WCAG 2.2 contrast (1.4.3) of all text that is visible in a page.

export function lowContrast(page) {
  return page.evaluate(() => {
    const parse = (text) => {
      const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
      return [r, g, b, a];
    };
    const over = (top, below) => top.slice(0, 3).map((c, i) => c * top[3] + below[i] * (1 - top[3]));
    const ground = (node) => {
      const layers = [];
      for (let at = node; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
      return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
    };
    const luminance = (colour) => {
      const [r, g, b] = colour.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const low = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const words = walker.currentNode.textContent.trim();
      const node = walker.currentNode.parentElement;
      if (!words || !node.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || node.closest('.offscreen, option, :disabled')) continue;
      const style = getComputedStyle(node);
      const below = ground(node);
      const [a, b] = [luminance(over(parse(style.color), below)), luminance(below)].sort((x, y) => y - x);
      const ratio = (a + 0.05) / (b + 0.05);
      const size = Number.parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      if (ratio < (large ? 3 : 4.5)) low.push(`“${words.slice(0, 40)}” ${ratio.toFixed(2)}:1`);
    }
    return low;
  });
}

/** Controls that say nothing to a screen reader, and pictures without alt. */
export function nameless(page) {
  return page.evaluate(() => [...document.querySelectorAll('a, button, input, select, textarea, [role="application"], img')]
    .filter((node) => node.checkVisibility() && !node.closest('[aria-hidden="true"]'))
    .filter((node) => {
      if (node.matches('img')) return !node.hasAttribute('alt');
      return !(node.getAttribute('aria-label') || node.labels?.length || node.textContent.trim());
    })
    .map((node) => node.outerHTML.slice(0, 120)));
}
