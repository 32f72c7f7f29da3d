import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { tokenCookieOf } from '#dashboard/server/http/access.ts';
import { type Appearance, openWindow, startBrowser } from '../support/browser.ts';
import { TOKEN } from './token.ts';

/** Signs a window in to the dashboard of an address that has no token. */
async function signIn(context: BrowserContext, address: string): Promise<void> {
  const { hostname: domain, port, searchParams } = new URL(address);
  if (searchParams.has('token')) return;
  await context.addCookies([{ name: tokenCookieOf(Number(port)), value: TOKEN, domain, path: '/' }]);
}

/** Messages of the browser about refused requests, and about a processor that stands in for a graphics card. */
const EXPECTED =
  /status of 4\d\d|status of 503|ERR_CONNECTION|ERR_INCOMPLETE|GL Driver Message|GroupMarkerNotSet|WebGL/;

/** Starts a browser for all tests of a file. */
export function shareBrowser(more: readonly string[] = []) {
  let browser: Browser | undefined;
  beforeAll(async () => void (browser = await startBrowser(more)));
  afterAll(() => browser?.close());
  return {
    /**
     * Opens a page of a dashboard as a reader who is signed in, until the test ends. The test fails if the page logs an error, opens a
     * dialog of the browser, or asks another site.
     */
    async open(url: string, appearance: Appearance = { width: 1440, theme: 'light' }) {
      const context = await openWindow(browser!, appearance);
      const problems: string[] = [];
      onTestFinished(async () => {
        await context.close();
        expect(problems).toEqual([]);
      });
      await signIn(context, url);
      const page = await context.newPage();
      page.on('request', (request) => {
        const { protocol, hostname } = new URL(request.url());
        if (protocol.startsWith('http') && hostname !== '127.0.0.1') problems.push(request.url());
      });
      page.on('console', (message) => {
        if (!EXPECTED.test(message.text())) problems.push(message.text());
      });
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('dialog', (dialog) => problems.push(`dialog: ${dialog.message()}`));
      await page.goto(url);
      return page;
    },
  };
}

export type OpenPage = Awaited<ReturnType<ReturnType<typeof shareBrowser>['open']>>;
