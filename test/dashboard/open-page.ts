import type { Browser } from 'playwright-core';
import { type Appearance, type OpenedPage, openWindow } from '../support/browser.ts';

/** Opens a page of a dashboard as a reader would, and records all requests and messages. */
export async function openPage(browser: Browser, url: string, appearance: Appearance): Promise<OpenedPage> {
  const context = await openWindow(browser, appearance);
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
