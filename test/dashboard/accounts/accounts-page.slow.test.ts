import { describe, expect, test } from 'vitest';
import { createBackfillActions } from '#library/run/actions/backfill-actions.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { checkAppearances, findViolations } from '../../support/browser.ts';
import { shareBrowser } from '../open-page.ts';
import { shareDashboard, startTestDashboard, startWritable } from '../support.ts';
import { createAccountStore } from './account-store.ts';

const browser = shareBrowser();
const shared = shareDashboard((file) => createAccountStore(120, { file }));

describe('the page Accounts', () => {
  test('the search leads to an account, whose coverage is drawn and whose history is asked for', async () => {
    const page = await browser.open(`${shared.url}/accounts`);
    await page.getByText('1 of 120 accounts').waitFor();
    await page.getByRole('searchbox').fill('the star');
    await page.getByText('1 match in all accounts').waitFor();
    expect(page.url()).toContain('q=the+star');
    await page.getByRole('link', { name: '@star' }).click();
    await page.getByRole('heading', { level: 1, name: 'The Star' }).waitFor();
    const width = "document.querySelector('.coverage-axis img').naturalWidth";
    await expect.poll(() => page.evaluate<number>(width)).toBe(610);
    await page.getByText('Gap: page limit').waitFor();
    expect(await page.getByRole('link', { name: 'crawl 2' }).getAttribute('href')).toBe('/crawls/2');
    await page.getByText('Profile and handle').press('Enter');
    await page.locator('details[open] .missing, details[open] .empty, details[open] .row-table').first().waitFor();
    await page.getByText('Posting activity by hour').press('Enter');
    await page.locator('.result-chart').waitFor();
    await checkAppearances(page, 'an account with its history');
  });

  test('the keyboard filters, sorts and pages, and its focus stays while updates arrive', async () => {
    const path = await createAccountStore(120);
    const { url } = await startTestDashboard(path);
    const page = await browser.open(`${url}/accounts`, { width: 1280, theme: 'dark' });
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    const first = page.locator('tbody a').first();
    await page.getByRole('combobox', { name: 'Show' }).selectOption('All: 120');
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
    const label = () => page.evaluate('document.activeElement.getAttribute("aria-label")');
    await expect.poll(label).toBe('List of accounts');
    await first.focus();
    // The first account of this page is no longer its first.
    const db = openConnection(path);
    db.exec(
      "update users set followers_count = 60 where rest_id = '51'; update crawls set updated_at = updated_at + 1",
    );
    db.close();
    const changed = page.getByRole('button', { name: 'The list has changed: show it' });
    await changed.waitFor();
    expect([await focused(), await first.textContent()]).toEqual(['@user_51', '@user_51']);
    await page.getByRole('row', { name: '@user_51' }).getByText('60', { exact: true }).waitFor();
    await changed.press('Enter');
    await expect.poll(() => first.textContent()).not.toBe('@user_51');
    await expect.poll(label).toBe('List of accounts');
  });

  test('a letter that is typed while the address changes is kept', async () => {
    const page = await browser.open(`${shared.url}/accounts`);
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

  test('a gap is backfilled after its plan was shown, and only with actions', async () => {
    const reader = await browser.open(`${shared.url}/accounts/star`);
    await reader.getByText('Gap: page limit').waitFor();
    expect(await reader.getByRole('button', { name: /^Backfill/ }).count()).toBe(0);
    const { url, store } = await startWritable(await createAccountStore(5), createBackfillActions);
    const page = await browser.open(`${url}/accounts/star`);
    const button = page.getByRole('button', { name: /^Backfill/ });
    await button.waitFor();
    await checkAppearances(page, 'a gap');
    await button.press('Enter');
    await page.getByRole('dialog', { name: 'Plan of the backfill' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(store.read.crawls([4])).toEqual([]);
    await page.getByRole('button', { name: 'Queue 1 crawl' }).press('Enter');
    await page.waitForURL(`${url}/crawls/4`);
    expect(store.read.crawls([4])).toMatchObject([{ kind: 'timeline', target: 'id:1', state: 'queued' }]);
  });
});
