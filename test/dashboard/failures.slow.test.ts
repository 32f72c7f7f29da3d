import { renameSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findViolations, startBrowser } from '../support/browser.ts';
import { createAccountStore } from './accounts/account-store.ts';
import { openPage } from './open-page.ts';
import { startTestDashboard } from './support.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

const WINDOW = { width: 1440, theme: 'light' } as const;

/** Pages, and what is on them when they are complete. */
const PAGES = [
  ['/', '.figures'],
  ['/crawls', '.crawl-list-row a'],
  ['/accounts/star', '.coverage-axis'],
  ['/queries', '.query-list'],
] as const;

describe('when the store or the server is gone', () => {
  test('every page says so, keeps what it shows, and recovers by itself', async () => {
    const path = await createAccountStore(5);
    const { url } = await startTestDashboard(path);
    const pages = await Promise.all(PAGES.map(([address]) => openPage(browser, url + address, WINDOW)));
    onTestFinished(async () => void (await Promise.all(pages.map((opened) => opened[Symbol.asyncDispose]()))));
    const forEachPage = (check: (page: Page, ready: string) => Promise<void>) =>
      Promise.all(pages.map(({ page }, i) => check(page, PAGES[i]![1])));
    await forEachPage((page, ready) => page.locator(ready).first().waitFor());
    renameSync(path, `${path}.moved`);
    await forEachPage(async (page, ready) => {
      await page.locator('.store-problem', { hasText: path }).waitFor();
      expect(await page.locator(ready).count(), ready).toBeGreaterThan(0);
      expect(await findViolations(page)).toEqual([]);
    });
    renameSync(`${path}.moved`, path);
    await forEachPage(async (page, ready) => {
      await page.locator('.store-problem').waitFor({ state: 'detached' });
      expect(await page.locator(ready).count(), ready).toBeGreaterThan(0);
    });
  });

  test('a search says that the dashboard does not answer, and is made when it is repeated', async () => {
    const path = await createAccountStore(5);
    const dashboard = await startTestDashboard(path);
    const port = Number(new URL(dashboard.url).port);
    await using opened = await openPage(browser, `${dashboard.url}/find`, WINDOW);
    const { page } = opened;
    await page.locator('.connection.connected').waitFor();
    await dashboard[Symbol.asyncDispose]();
    await page.locator('.connection.lost').waitFor();
    await page.getByRole('searchbox').fill('star');
    await page.keyboard.press('Enter');
    await page.getByText('The dashboard does not answer').waitFor();
    await startTestDashboard(path, { port });
    await page.locator('.connection.connected').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('No results').first().waitFor();
    expect(await page.locator('.banner.error').count()).toBe(0);
  });
});
