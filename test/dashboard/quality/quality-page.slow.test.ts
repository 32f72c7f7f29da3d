import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeAppearance, findViolations, startBrowser } from '../../support/browser.ts';
import { createStoreFile } from '../../support/store-file.ts';
import { openPage } from '../open-page.ts';
import { startTestDashboard } from '../support.ts';
import { createQualityStore, dayBefore } from './quality-store.ts';

const LONG = { timeout: 60_000 };

describe('the page Quality', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await startBrowser()));
  afterAll(() => browser?.close());

  test('no violation in both themes and two widths, also with hostile texts', { timeout: 180_000 }, async () => {
    const { url } = await startTestDashboard(createQualityStore());
    await using opened = await openPage(browser, `${url}/quality`, { width: 1440, theme: 'light' });
    const { page, requests, messages } = opened;
    await page.locator('.rates table').waitFor(LONG);
    await page.getByRole('heading', { name: 'Rejected items by day' }).waitFor(LONG);
    await page.locator('summary').getByText('Items by day').click();
    await page.getByRole('button', { name: 'Run checks' }).press('Enter');
    await page.getByText('9 of 9 checks').waitFor({ timeout: 120_000 });
    expect(await page.locator('main img').count()).toBe(0);
    for (const width of [390, 1280])
      for (const theme of ['light', 'dark'] as const) {
        await changeAppearance(page, { width, theme });
        expect(await findViolations(page), `${width} ${theme}`).toEqual([]);
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      }
    expect(await page.locator('main').innerText()).not.toMatch(/[\u202a-\u202e]/);
    expect(requests.filter((request) => !request.startsWith(url))).toEqual([]);
    expect(messages).toEqual([]);
  });

  test('a field that is no longer sent leads from the overview to its fall', { timeout: 120_000 }, async () => {
    const { url } = await startTestDashboard(createQualityStore());
    await using opened = await openPage(browser, url, { width: 1440, theme: 'dark' });
    const { page } = opened;
    await page.getByRole('link', { name: 'The service has changed' }).press('Enter');
    await page
      .getByText(`user-tweets has not sent tweet.text since ${dayBefore(2)}`)
      .first()
      .waitFor(LONG);
    const row = page.locator('.rates tr').filter({ has: page.getByText('tweet.text', { exact: true }) });
    expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toBe(
      `tweet.text${' 99 %'.repeat(7)} fallen to ↓ 0 % 0 % 0 %`,
    );
    await page.getByRole('combobox', { name: 'Items' }).selectOption('stored-accounts');
    await page.getByText('of all 40 accounts').waitFor(LONG);
    await page.getByRole('button', { name: 'By month' }).press('Enter');
    await page.getByText('by the month (UTC)').waitFor(LONG);
    expect(new URL(page.url()).search).toBe('?of=stored-accounts&by=month');
    await page.reload();
    await page.getByText('by the month (UTC)').waitFor(LONG);
    await page.getByRole('link', { name: 'crawl 2' }).first().press('Enter');
    await page.waitForURL(`${url}/crawls/2`);
  });

  test('an empty store tells what is not collected from what is in order', { timeout: 60_000 }, async () => {
    const { url } = await startTestDashboard(createStoreFile());
    await using opened = await openPage(browser, `${url}/quality`, { width: 390, theme: 'light' });
    const { page } = opened;
    await page.getByText('Items that cannot be stored are listed here.').waitFor(LONG);
    await page.locator('.source-choice').waitFor(LONG);
    expect(await page.getByText('Not collected').count()).toBe(3);
    expect(await page.getByText('No rejected items').count()).toBe(0);
    expect(await page.getByText('No drift').count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
  });
});
