// Chromium, and pages that remember everything that went wrong in them.

import { chromium } from 'playwright-core';

const flags = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--force-color-profile=srgb',
];

export const devices = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
};

export function launch(executablePath) {
  return chromium.launch({ executablePath, args: flags });
}

/**
 * Opens a page in a context of its own. troubles lists failed requests,
 * answers from 400 on, console errors and uncaught exceptions; allowed are
 * substrings of troubles that the caller expects.
 */
export async function openPage(browser, options, allowed = []) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const troubles = [];
  const add = (text) => {
    if (!allowed.some((part) => text.includes(part))) troubles.push(text);
  };
  page.on('requestfailed', (request) => {
    // A viewer gives up tiles that are no longer wanted.
    const reason = request.failure()?.errorText ?? '';
    if (reason !== 'net::ERR_ABORTED') add(`request failed: ${request.url()} ${reason}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) add(`status ${response.status()}: ${response.url()}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error') add(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => add(`exception: ${error.message}`));
  page.setDefaultTimeout(30000);
  return { context, page, troubles, close: () => context.close() };
}
