import { describe, expect, onTestFinished, test } from 'vitest';
import { createCrawlActions } from '#library/run/actions/crawl-actions.ts';
import { createNewCrawlActions } from '#library/run/actions/new-crawl-actions.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { checkAppearances } from '../../support/browser.ts';
import { type OpenPage, shareBrowser } from '../open-page.ts';
import { shareDashboard, startTestDashboard, startWritable } from '../support.ts';
import { createCrawlStore } from './crawl-store.ts';

const browser = shareBrowser();
const shared = shareDashboard((file) => createCrawlStore(300, file));
const firstTarget = (page: OpenPage) => page.locator('.block-table .head a').first();

describe('the page Crawls', () => {
  test('the keyboard filters, searches, sorts, goes on to further crawls and opens one', async () => {
    const page = await browser.open(`${shared.url}/crawls`);
    await firstTarget(page).waitFor();
    await page.getByRole('link', { name: 'Next crawls' }).press('Enter');
    await expect.poll(() => firstTarget(page).textContent()).toBe('user_200');
    await page.locator('section:focus').waitFor();
    await page.locator('.facets summary').press('Enter');
    await page.getByRole('checkbox', { name: /^Failed/ }).press('Space');
    await page.getByText('60 of 300 crawls').waitFor();
    expect(new URL(page.url()).search).toBe('?state=failed');
    await page.getByRole('searchbox').pressSequentially('user_29');
    await page.getByText('2 of 300 crawls').waitFor();
    await page.getByRole('button', { name: 'Target' }).press('Enter');
    await page.waitForURL(/sort=target/);
    await expect.poll(() => firstTarget(page).textContent()).toBe('user_293');
    expect(await page.locator('th[aria-sort]').getAttribute('aria-sort')).toBe('ascending');
    // A shared link shows the same list.
    const other = await browser.open(page.url());
    await expect.poll(() => firstTarget(other).textContent()).toBe('user_293');
    await firstTarget(page).press('Enter');
    await page.getByRole('heading', { level: 1, name: /user_293/ }).waitFor();
    await page.goBack();
    await expect.poll(() => firstTarget(page).textContent()).toBe('user_293');
  });

  test('rows are updated, and do not move while somebody reads them', async () => {
    const path = createCrawlStore(50);
    const { url } = await startTestDashboard(path);
    const page = await browser.open(`${url}/crawls`);
    await firstTarget(page).hover();
    expect(await firstTarget(page).textContent()).toBe('user_50');
    const { $client } = openDatabase(path);
    onTestFinished(() => void $client.close());
    const add = (target: string) =>
      $client.exec(`insert into crawls (kind, target, options, priority, state, created_at, updated_at)
        values ('profile', '${target}', '{}', 'interactive', 'queued', 1, 1)`);
    add('newcomer');
    $client.exec("update crawls set state = 'failed', finished_at = 9, reason = 'not_found' where id = 50");
    await page.locator('tbody tr:first-child.failed').waitFor();
    expect(await firstTarget(page).textContent()).toBe('user_50');
    await page.getByRole('button', { name: /^The list has changed/ }).click();
    await expect.poll(() => firstTarget(page).textContent()).toBe('newcomer');
    // Without a reader, the list follows by itself.
    await page.getByRole('searchbox').focus();
    await page.mouse.move(5, 5);
    add('second');
    await expect.poll(() => firstTarget(page).textContent()).toBe('second');
  });

  test('the keyboard cancels matching crawls after a confirmation', async () => {
    // A dashboard that only reads shows no actions.
    const reader = await browser.open(`${shared.url}/crawls?kind=followers`);
    await firstTarget(reader).waitFor();
    expect(await reader.getByRole('button', { name: /^Cancel/ }).count()).toBe(0);

    const { url, store } = await startWritable(createCrawlStore(100), createCrawlActions);
    const page = await browser.open(`${url}/crawls?kind=followers`);
    const focused = () => page.locator(':focus').textContent();
    await page.getByRole('button', { name: 'Cancel 20 matching crawls' }).press('Enter');
    await page.getByRole('dialog', { name: 'Cancel 20 matching crawls?' }).waitFor();
    await checkAppearances(page, 'a confirmation');
    await page.keyboard.press('Escape');
    // The focus is where it was.
    await expect.poll(focused).toBe('Cancel 20 matching crawls');
    expect(store.read.crawls([2])).toMatchObject([{ state: 'queued' }]);

    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    // Another crawl ends meanwhile: nothing is changed.
    await store.write.cancelCrawls([2], 1);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('nothing was changed: 19 crawls match now, not 20').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Cancel 19 matching crawls' }).press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('19 crawls cancelled.');
    expect(store.read.crawls([10, 12, 20]).map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(store.read.crawls([1, 11])).toMatchObject([{ state: 'queued' }, { state: 'queued' }]);

    await page.goto(`${url}/crawls/4`);
    await page.getByRole('button', { name: 'Retry' }).press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    // Its button goes, and the focus does not go with it.
    await expect.poll(focused).toBe('1 crawl queued.');
    await page.getByText('It waits for a worker.').waitFor();
  });

  test('a key that is pressed right after the one that opens a confirmation belongs to it', async () => {
    const { url } = await startWritable(createCrawlStore(10), createCrawlActions);
    const page = await browser.open(`${url}/crawls`);
    await page.getByRole('button', { name: /^Cancel all/ }).waitFor();
    // A key is an event of its own, before which the page may have drawn nothing.
    const focused = await page.evaluate<string>(`(async () => {
      const button = [...document.querySelectorAll('button')].find((one) => one.textContent.startsWith('Cancel all'));
      button.focus();
      button.click();
      await new Promise((resolve) => queueMicrotask(resolve));
      return document.activeElement.textContent;
    })()`);
    expect(focused).toBe('Go back');
  });

  test('the keyboard queues a new crawl after its plan; what was typed stays after an error and another choice', async () => {
    const { url, store } = await startWritable(createCrawlStore(10), createNewCrawlActions);
    const page = await browser.open(`${url}/crawls/new`);
    const targets = page.getByLabel('Targets, one to a line');
    await targets.fill('no handle!');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('"no handle!" is not an account.').waitFor();
    await page.getByLabel('Kind').selectOption('timeline');
    await page.getByLabel('First day (UTC)').waitFor();
    expect(await targets.inputValue()).toBe('no handle!');
    await targets.fill('nasa');
    await checkAppearances(page, 'the form');
    await targets.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Plan: 1 crawl' }).waitFor();
    expect(store.read.crawls([11])).toEqual([]);
    await page.getByRole('button', { name: 'Queue 1 crawl' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: /#11 nasa/ }).waitFor();
    expect(store.read.crawls([11])).toMatchObject([{ target: 'nasa', state: 'queued' }]);
  });
});
