import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createCrawlActions } from '../../../src/run/actions/crawl-actions.ts';
import { createNewCrawlActions } from '../../../src/run/actions/new-crawl-actions.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { openStore } from '../../../src/store/store.ts';
import { changeAppearance, findViolations, openWindow, startBrowser } from '../../support/browser.ts';
import { signIn } from '../open-page.ts';
import { startTestDashboard } from '../support.ts';
import { createCrawlStore, HOSTILE } from './crawl-store.ts';

describe('the page Crawls', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await startBrowser()));
  afterAll(() => browser.close());

  /** Opens a page of a dashboard; fails on errors, dialogs and outside requests. */
  async function open(url: string, path: string): Promise<Page> {
    const context = await openWindow(browser, { width: 1440, theme: 'light' });
    onTestFinished(() => context.close());
    await signIn(context, url);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      // The browser logs a change that the server refused.
      if (!message.text().includes('status of 400')) problems.push(message.text());
    });
    page.on('dialog', (dialog) => problems.push(`dialog ${dialog.message()}`));
    page.on('request', (request) => {
      if (!request.url().startsWith(url)) problems.push(request.url());
    });
    onTestFinished(() => expect(problems).toEqual([]));
    await page.goto(url + path);
    return page;
  }

  const firstTarget = (page: Page) => page.locator('.crawl-list-body [data-index="0"] a');

  test('no violation in both themes and two widths, also of a crawl and without a match', async () => {
    const { url } = await startTestDashboard(createCrawlStore(2000));
    for (const path of ['/crawls', '/crawls/13', '/crawls?q=nothing']) {
      const page = await open(url, path);
      await page.locator('.crawl-list-body a, .evidence, .empty-title').first().waitFor();
      for (const width of [390, 1280])
        for (const theme of ['light', 'dark'] as const) {
          await changeAppearance(page, { width, theme });
          expect(await findViolations(page), `${path} ${width} ${theme}`).toEqual([]);
          expect(await page.evaluate<number>('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width);
        }
    }
  });

  test('the keyboard filters, searches, sorts, moves to any of 200,000 rows and opens a crawl', async () => {
    const { url } = await startTestDashboard(createCrawlStore(200_000));
    const page = await open(url, '/crawls');
    await firstTarget(page).waitFor();
    await firstTarget(page).focus();
    await page.keyboard.press('End');
    await page.locator('[data-index="199999"] a:focus').waitFor();
    await expect.poll(() => page.locator('a:focus').textContent()).toBe('user_1');
    await page.keyboard.press('ArrowUp');
    await page.locator('[data-index="199998"] a:focus').waitFor();
    await page.keyboard.press('Home');
    await page.locator('[data-index="0"] a:focus').waitFor();
    // On paper it has no empty pages for the rows that are not drawn.
    const paper = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    const pages = paper.match(/\/Type\s*\/Page\b/g) ?? [];
    expect(pages.length).toBeGreaterThan(0);
    expect(pages.length).toBeLessThan(6);

    await page.getByRole('checkbox', { name: /^Failed/ }).focus();
    await page.keyboard.press('Space');
    await page.getByText('40,000 of 200,000 crawls').waitFor();
    expect(page.url()).toContain('state=failed');
    await page.getByRole('searchbox').focus();
    await page.keyboard.type('user_19999');
    await page.waitForURL(/q=user_19999/);
    await page.getByText('2 of 200,000 crawls').waitFor();
    await page.getByRole('button', { name: 'Target' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/sort=target/);
    await expect.poll(() => firstTarget(page).textContent()).toBe('user_199993');
    // A shared link shows the same list.
    const shared = await open(url, page.url().slice(url.length));
    await expect.poll(() => firstTarget(shared).textContent()).toBe('user_199993');
    await firstTarget(page).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /user_199993/ }).waitFor();
    await page.goBack();
    await expect.poll(() => firstTarget(page).textContent()).toBe('user_199993');
  });

  test('rows are updated, and do not move while somebody reads them', async () => {
    const path = createCrawlStore(50);
    const { url } = await startTestDashboard(path);
    const page = await open(url, '/crawls');
    await page.hover('[data-index="0"]');
    expect(await firstTarget(page).textContent()).toBe('user_50');
    const { $client } = openDatabase(path);
    onTestFinished(() => void $client.close());
    $client.exec(`insert into crawls (kind, target, options, priority, state, created_at, updated_at)
      values ('profile', 'newcomer', '{}', 'interactive', 'queued', 1, 1)`);
    $client.exec("update crawls set state = 'failed', finished_at = 9, reason = 'not_found' where id = 50");
    await page.locator('[data-index="0"].failed').waitFor();
    expect(await firstTarget(page).textContent()).toBe('user_50');
    await page.getByRole('button', { name: /^The list has changed/ }).click();
    await expect.poll(() => firstTarget(page).textContent()).toBe('newcomer');
    // At the top, and without a reader, the list follows by itself.
    await page.mouse.move(5, 5);
    $client.exec(`insert into crawls (kind, target, options, priority, state, created_at, updated_at)
      values ('profile', 'second', '{}', 'interactive', 'queued', 1, 1)`);
    await expect.poll(() => firstTarget(page).textContent()).toBe('second');
  });

  test('the keyboard cancels matching crawls after a confirmation', async () => {
    const path = createCrawlStore(100);
    const store = openStore(path);
    onTestFinished(() => store[Symbol.asyncDispose]());
    const notifier = { dispatch: async () => undefined };
    // A dashboard that only reads shows no actions.
    const reader = await open((await startTestDashboard(path)).url, '/crawls?kind=followers');
    await firstTarget(reader).waitFor();
    expect(await reader.getByRole('button', { name: /^Cancel/ }).count()).toBe(0);

    const { url } = await startTestDashboard(path, { actions: createCrawlActions({ store, notifier }) });
    const page = await open(url, '/crawls?kind=followers');
    const button = page.getByRole('button', { name: 'Cancel 20 matching crawls' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Cancel 20 matching crawls?' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    // The focus is where it was.
    await expect.poll(() => page.locator('button:focus').textContent()).toBe('Cancel 20 matching crawls');
    expect(store.read.crawls([2])).toMatchObject([{ state: 'queued' }]);

    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    // Another crawl ends meanwhile: nothing is changed.
    await store.write.cancelCrawls([2], 1);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('nothing was changed: 19 crawls match now, not 20').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Cancel 19 matching crawls' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('19 crawls cancelled.').waitFor();
    await expect.poll(() => page.locator(':focus').textContent()).toBe('19 crawls cancelled.');
    expect(store.read.crawls([10, 12, 20]).map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(store.read.crawls([1, 11])).toMatchObject([{ state: 'queued' }, { state: 'queued' }]);

    await page.goto(`${url}/crawls/4`);
    await page.getByRole('button', { name: 'Retry' }).press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('1 crawl queued.').waitFor();
    // Its button goes, and the focus does not go with it.
    await expect.poll(() => page.locator(':focus').textContent()).toBe('1 crawl queued.');
    await page.getByText('It waits for a worker.').waitFor();
  });

  test('a key that is pressed right after the one that opens a confirmation belongs to it', async () => {
    const store = openStore(createCrawlStore(10));
    onTestFinished(() => store[Symbol.asyncDispose]());
    const actions = createCrawlActions({ store, notifier: { dispatch: async () => undefined } });
    const { url } = await startTestDashboard(store.path, { actions });
    const page = await open(url, '/');
    await page.goto(`${url}/crawls`);
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

  test('keys that are pressed while a row is read move on from it', async () => {
    const { url } = await startTestDashboard(createCrawlStore(30_000));
    const page = await open(url, '/crawls');
    await firstTarget(page).focus();
    // All rows but the first ones arrive when the keys were pressed.
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route(/api\/crawls\/(ids|rows)/, async (route) => {
      await held;
      await route.continue();
    });
    await page.keyboard.press('End');
    await page.locator('[data-index="29999"]').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    release();
    await page.locator('[data-index="29997"] a:focus').waitFor();
    await expect.poll(() => page.locator('a:focus').textContent()).toBe('user_3');
    // The rows above are those of the screen, and not all that lie between the first one and these.
    await page.keyboard.press('PageUp');
    await expect.poll(async () => Number((await page.locator('a:focus').textContent())?.slice(5))).toBeLessThan(100);
  });

  test('a new crawl shows its plan before it is queued', async () => {
    const store = openStore(createCrawlStore(10));
    onTestFinished(() => store[Symbol.asyncDispose]());
    const notifier = { dispatch: async () => undefined };
    const { url } = await startTestDashboard(store.path, { actions: createNewCrawlActions({ store, notifier }) });
    const page = await open(url, '/');
    await page.goto(`${url}/crawls/new`);
    await page.getByLabel('Targets, one to a line').fill('nasa');
    for (const width of [390, 1280])
      for (const theme of ['light', 'dark'] as const) {
        await changeAppearance(page, { width, theme });
        expect(await findViolations(page), `${width} ${theme}`).toEqual([]);
      }
    await page.getByRole('button', { name: 'Show the plan' }).press('Enter');
    await page.getByRole('dialog', { name: 'Plan: 1 crawl' }).waitFor();
    expect(store.read.crawls([11])).toEqual([]);
    await page.getByRole('button', { name: 'Queue 1 crawl' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: /#11 nasa/ }).waitFor();
    expect(store.read.crawls([11])).toMatchObject([{ target: 'nasa', state: 'queued' }]);
  });

  test('hostile targets are texts', async () => {
    const { url } = await startTestDashboard(createCrawlStore(10));
    const page = await open(url, '/crawls/7');
    expect(await page.getByRole('heading', { level: 1 }).locator('bdi').textContent()).toBe(
      HOSTILE.replace('\u202E', '\uFFFD'),
    );
    expect(await page.locator('main img').count()).toBe(0);
  });
});
