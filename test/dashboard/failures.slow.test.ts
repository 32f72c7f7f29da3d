import { renameSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { findViolations } from '../support/browser.ts';
import { createAccountStore } from './accounts/account-store.ts';
import { type OpenPage, shareBrowser } from './open-page.ts';
import { startTestDashboard } from './support.ts';

const browser = shareBrowser();

/** Pages, and what is on them when they are complete. */
const PAGES = [
  ['/', '.figures'],
  ['/crawls', '.block-table a'],
  ['/accounts/star', '.coverage-axis'],
  ['/queries', '.query-list'],
] as const;

describe('when the store or the server is gone', () => {
  test('every page says so, keeps what it shows, and recovers by itself', async () => {
    const path = await createAccountStore(5);
    const { url } = await startTestDashboard(path);
    const pages = await Promise.all(PAGES.map(([address]) => browser.open(url + address)));
    const forEachPage = (check: (page: OpenPage, ready: string) => Promise<void>) =>
      Promise.all(pages.map((page, i) => check(page, PAGES[i]![1])));
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
    const page = await browser.open(`${dashboard.url}/find`);
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
