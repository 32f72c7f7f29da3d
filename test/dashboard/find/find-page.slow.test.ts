import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeAppearance, findViolations, startBrowser } from '../../support/browser.ts';
import { openPage } from '../open-page.ts';
import { startTestDashboard } from '../support.ts';
import { createFindStore } from './find-store.ts';

describe('the page Find', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await startBrowser()));
  afterAll(() => browser.close());

  test('no violation in both themes and two widths, also with hostile texts and without results', async () => {
    const { url } = await startTestDashboard(createFindStore());
    for (const search of ['', '?q=rain&deleted=1', '?q=rain&in=accounts', '?q=from%3Anasa+since%3Asoon']) {
      await using opened = await openPage(browser, `${url}/find${search}`, { width: 1440, theme: 'light' });
      const { page, requests, messages } = opened;
      await page.locator('.found, .empty-title').first().waitFor();
      expect(await page.locator('main img').count()).toBe(0);
      for (const width of [390, 1280])
        for (const theme of ['light', 'dark'] as const) {
          await changeAppearance(page, { width, theme });
          expect(await findViolations(page), `${search} ${width} ${theme}`).toEqual([]);
          expect(await page.evaluate<number>('document.documentElement.scrollWidth'), search).toBeLessThanOrEqual(
            width,
          );
        }
      expect(requests.filter((request) => !request.startsWith(url))).toEqual([]);
      expect(messages).toEqual([]);
    }
  });

  test('the keyboard searches, includes what is left out, sorts, and opens an account; the address has it all', async () => {
    const { url } = await startTestDashboard(createFindStore());
    await using opened = await openPage(browser, `${url}/find`, { width: 1440, theme: 'light' });
    const { page } = opened;
    const box = page.getByRole('searchbox', { name: 'Search stored tweets' });
    await box.waitFor();
    await page.waitForFunction('document.activeElement?.type === "search"');
    await page.keyboard.type('rain');
    await page.keyboard.press('Enter');
    await page.getByText('Found 2 tweets').waitFor();
    expect(new URL(page.url()).search).toBe('?q=rain');
    expect(await page.locator('mark').allTextContents()).toEqual(['rain', 'rain', 'rain']);
    await page.getByRole('link', { name: 'Include them' }).press('Enter');
    await page.getByText('Found 4 tweets').waitFor();
    expect(await page.getByText('Deleted', { exact: true }).count()).toBe(1);
    await page.getByRole('combobox', { name: 'Sort' }).selectOption('likes');
    await page.waitForFunction(`document.querySelector('.found li')?.textContent.includes('9 likes')`);
    // A link that is shared shows the same.
    await page.goto(page.url());
    await page.getByText('Found 4 tweets').waitFor();
    expect(await page.locator('.found li').first().textContent()).toContain('9 likes');
    await page.goBack();
    await page.getByRole('link', { name: '@ada' }).first().press('Enter');
    await page.waitForURL(`${url}/accounts/id%3A1`);
    await page.getByRole('heading', { name: 'Ada' }).waitFor();
  });

  test('what is wrong with a search is said beside the term, and what was not collected with its command', async () => {
    const { url } = await startTestDashboard(createFindStore());
    await using opened = await openPage(browser, `${url}/find?q=since%3Asoon`, { width: 820, theme: 'dark' });
    const { page } = opened;
    await page.getByText('is searched as text: it has no day such as 2025-01-31').waitFor();
    await page.locator('.empty-title', { hasText: 'No results' }).waitFor();
    await page.goto(`${url}/find?q=from%3Anasa`);
    await page.locator('.empty-title', { hasText: 'Not collected' }).waitFor();
    expect(await page.locator('.empty-action').textContent()).toBe('trawl crawl timeline nasa collects it');
    await page.goto(`${url}/find?q=${'x'.repeat(1001)}`);
    await page.getByRole('alert').filter({ hasText: 'A search may have 1000 characters' }).waitFor();
  });
});
