import type { Browser, BrowserContext } from 'playwright-core';
import { tokenCookieOf } from '../../src/dashboard/http/access.ts';
import { type Appearance, type OpenedPage, openWindow } from '../support/browser.ts';
import { TOKEN } from './token.ts';

/** Signs a window in to the dashboard of an address that has no token. */
export async function signIn(context: BrowserContext, address: string): Promise<void> {
  const { hostname: domain, port, searchParams } = new URL(address);
  if (searchParams.has('token')) return;
  await context.addCookies([{ name: tokenCookieOf(Number(port)), value: TOKEN, domain, path: '/' }]);
}

/** Opens a page of a dashboard as a reader would who is signed in, and records all requests and messages. */
export async function openPage(browser: Browser, url: string, appearance: Appearance): Promise<OpenedPage> {
  const context = await openWindow(browser, appearance);
  await signIn(context, url);
  const page = await context.newPage();
  const [requests, messages]: [string[], string[]] = [[], []];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(error.message));
  page.on('dialog', (dialog) => {
    messages.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  return { page, requests, messages, [Symbol.asyncDispose]: () => context.close() };
}
