import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createBackfillActions } from '../../../src/run/actions/backfill-actions.ts';
import { openConnection } from '../../../src/store/sqlite/driver.ts';
import { openStore } from '../../../src/store/store.ts';
import { changeAppearance, findViolations, startBrowser } from '../../support/browser.ts';
import { openPage, signIn } from '../open-page.ts';
import { startTestDashboard } from '../support.ts';
import { createAccountStore } from './account-store.ts';
import { createHistoryStore } from './history-store.ts';

describe('the page Accounts', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await startBrowser()));
  afterAll(() => browser.close());

  test('no violation in both themes and two widths, also with hostile names', async () => {
    const { url } = await startTestDashboard(await createAccountStore(60));
    for (const path of [
      '/accounts',
      '/accounts?show=all&sort=followers',
      '/accounts?q=user_2',
      '/accounts/id:1',
      '/accounts/id:2',
      '/accounts/nobody',
    ]) {
      await using opened = await openPage(browser, url + path, { width: 1440, theme: 'light' });
      const { page, requests, messages } = opened;
      await page.locator('.account-table a, .account-counts, .empty-title').first().waitFor();
      expect(await page.locator('main img:not(.coverage-axis img)').count()).toBe(0);
      for (const width of [390, 1280])
        for (const theme of ['light', 'dark'] as const) {
          await changeAppearance(page, { width, theme });
          expect(await findViolations(page), `${path} ${width} ${theme}`).toEqual([]);
          expect(await page.evaluate<number>('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width);
        }
      expect(requests.filter((request) => !request.startsWith(url) && !request.startsWith('data:'))).toEqual([]);
      // The browser logs an account that was not found.
      expect(messages.filter((message) => !message.includes('status of 404'))).toEqual([]);
    }
  });

  test('the search leads to an account, whose coverage is drawn', async () => {
    const { url } = await startTestDashboard(await createAccountStore(120));
    await using opened = await openPage(browser, `${url}/accounts`, { width: 1440, theme: 'light' });
    const { page } = opened;
    await page.getByText('1 of 120 accounts').waitFor();
    expect(await page.locator('.account-table tbody a').allTextContents()).toEqual(['@star']);
    await page.getByRole('button', { name: 'All 120' }).click();
    await page.getByRole('link', { name: '@user_120' }).waitFor();
    await page.getByRole('link', { name: 'Next accounts' }).click();
    await page.getByRole('link', { name: '@user_70' }).waitFor();
    await page.getByRole('searchbox').fill('the star');
    await page.locator('.data-age', { hasText: '1 match in all accounts' }).waitFor();
    expect(page.url()).toContain('q=the+star');
    await page.getByRole('link', { name: '@star' }).click();
    await page.getByRole('heading', { level: 1, name: 'The Star' }).waitFor();
    const width = "document.querySelector('.coverage-axis img').naturalWidth";
    await expect.poll(() => page.evaluate<number>(width)).toBe(610);
    await page.getByText('Not collected: page limit').waitFor();
    expect(await page.getByRole('link', { name: 'crawl 2' }).getAttribute('href')).toBe('/crawls/2');
  });

  test('the keyboard filters, sorts and pages, and its focus stays while updates arrive', async () => {
    const path = await createAccountStore(120);
    const { url } = await startTestDashboard(path);
    await using opened = await openPage(browser, `${url}/accounts`, { width: 820, theme: 'dark' });
    const { page } = opened;
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    const first = page.locator('.account-table tbody a').first();
    await page.getByRole('button', { name: 'All 120' }).press('Enter');
    await page.getByRole('link', { name: '@user_120' }).waitFor();
    await page.getByRole('button', { name: 'Followers' }).press('Enter');
    // The account with the id n has n - 2 followers.
    await expect.poll(() => first.textContent()).toBe('@user_120');
    expect(await page.locator('th[aria-sort]').getAttribute('aria-sort')).toBe('descending');
    await page.getByRole('button', { name: /^Followers/ }).press('Enter');
    await expect.poll(() => first.textContent()).toBe('@user_2');
    expect(await focused()).toContain('Followers');
    expect(page.url()).toContain('reverse=1');
    await page.getByRole('link', { name: 'Next accounts' }).press('Enter');
    // Two accounts have two followers; the fiftieth on the first page is the one with 48.
    await expect.poll(() => first.textContent()).toBe('@user_51');
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toBe('List of accounts');
    await first.focus();
    // The first account of this page is no longer its first.
    const db = openConnection(path);
    db.exec(
      "update users set followers_count = 60 where rest_id = '51'; update crawls set updated_at = updated_at + 1",
    );
    db.close();
    await page.getByRole('button', { name: 'The list has changed: show it' }).waitFor();
    expect([await focused(), await first.textContent()]).toEqual(['@user_51', '@user_51']);
    await page.getByRole('row', { name: '@user_51' }).getByText('60', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'The list has changed: show it' }).press('Enter');
    await expect.poll(() => first.textContent()).not.toBe('@user_51');
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toBe('List of accounts');
  });

  test('a letter that is typed while the address changes is kept', async () => {
    const { url } = await startTestDashboard(await createAccountStore(12));
    await using opened = await openPage(browser, `${url}/accounts`, { width: 1440, theme: 'light' });
    const { page } = opened;
    await page.getByRole('searchbox').waitFor();
    await page.evaluate(`(() => {
      const { replaceState } = history;
      history.replaceState = (...parameters) => {
        history.replaceState = replaceState;
        history.replaceState(...parameters);
        const box = document.querySelector('[type=search]');
        box.value += '_12';
        box.dispatchEvent(new Event('input', { bubbles: true }));
      };
    })()`);
    await page.getByRole('searchbox').fill('user');
    await page.waitForURL(/q=user_12/);
    expect(await page.getByRole('searchbox').inputValue()).toBe('user_12');
  });

  test('the history of an account: no violation, and every figure has its period', async () => {
    const { url } = await startTestDashboard(await createHistoryStore(210));
    await using opened = await openPage(browser, `${url}/accounts/star`, { width: 1440, theme: 'light' });
    const { page, requests, messages } = opened;
    await page.getByText('+2 between 2025-01-12 and 2025-01-16').waitFor();
    await page.getByText('n = 210 stored posts').waitFor();
    expect(await page.locator('.hours td').count()).toBe(7 * 24);
    await page.locator('.hours-legend').getByText('0 posts').waitFor();
    const first = page.locator('.top-tweets li').first();
    expect(await first.textContent()).toMatch(/209 likes as of 2025-01-17.*Deleted/);
    await page.getByRole('heading', { name: 'Profile and handle' }).waitFor();
    expect(await page.locator('.changes').first().textContent()).toMatch(/Handle.*old_star.*star/);
    expect(await page.locator('main img:not(.coverage-axis img)').count()).toBe(0);
    await page
      .getByText(/^Numbers by/)
      .first()
      .click();
    for (const width of [390, 1280])
      for (const theme of ['light', 'dark'] as const) {
        await changeAppearance(page, { width, theme });
        expect(await findViolations(page), `${width} ${theme}`).toEqual([]);
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      }
    expect(requests.filter((request) => !request.startsWith(url) && !request.startsWith('data:'))).toEqual([]);
    expect(messages).toEqual([]);
    await page.goto(`${url}/accounts/id:3`);
    await page.getByText('Too few posts').waitFor();
  });

  test('a gap is backfilled after its plan was shown, and only with actions', async () => {
    const store = openStore(await createAccountStore(5));
    onTestFinished(() => store[Symbol.asyncDispose]());
    const actions = createBackfillActions({ store, notifier: { dispatch: async () => undefined } });
    const reader = await startTestDashboard(store.path);
    await using opened = await openPage(browser, `${reader.url}/accounts/star`, { width: 1440, theme: 'light' });
    const { page } = opened;
    await page.getByText('Not collected: page limit').waitFor();
    expect(await page.getByRole('button', { name: /^Backfill/ }).count()).toBe(0);
    const { url } = await startTestDashboard(store.path, { actions });
    await signIn(page.context(), url);
    await page.goto(`${url}/accounts/star`);
    const button = page.getByRole('button', { name: /^Backfill/ });
    await button.waitFor();
    for (const width of [390, 1280])
      for (const theme of ['light', 'dark'] as const) {
        await changeAppearance(page, { width, theme });
        expect(await findViolations(page), `${width} ${theme}`).toEqual([]);
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      }
    await button.press('Enter');
    await page.getByRole('dialog', { name: 'Plan of the backfill' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(store.read.crawls([4])).toEqual([]);
    await page.getByRole('button', { name: 'Queue 1 crawl' }).press('Enter');
    await page.waitForURL(`${url}/crawls/4`);
    expect(store.read.crawls([4])).toMatchObject([{ kind: 'timeline', target: 'id:1', state: 'queued' }]);
  });
});
