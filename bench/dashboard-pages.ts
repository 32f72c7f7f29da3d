import type { Page } from 'playwright-core';
import { startDashboard } from '../src/dashboard/start-dashboard.ts';
import { createResourceStack } from '../src/disposable-stack.ts';
import { createLog } from '../src/log.ts';
import { DEFAULT_HEADROOM_SHARES } from '../src/quota/priorities.ts';
import { openDatabase } from '../src/store/sqlite/database.ts';
import { openPage } from '../test/dashboard/open-page.ts';
import { startBrowser } from '../test/support/browser.ts';

/**
 * Measures pages of the dashboard in a browser over two stores that take turns, in ms: medians, and the second store over the first.
 * `large-store.ts` creates stores, such as one of 10 parts of a thousand, and a whole one.
 *
 *     npx tsx bench/dashboard-pages.ts small.db large.db [rounds]
 */

const [small, large, rounds = '5'] = process.argv.slice(2);
if (small === undefined || large === undefined)
  throw new Error('usage: tsx bench/dashboard-pages.ts <small store> <large store> [rounds]');

/** Opens a page, and returns the ms until something is on the screen. */
async function open(page: Page, url: string, ready: string): Promise<number> {
  const begunAt = performance.now();
  await page.goto(url);
  await page.locator(ready).first().waitFor();
  return performance.now() - begunAt;
}

/** Types a search, and returns the ms from its last key to its results. */
async function search(page: Page, url: string): Promise<number> {
  await open(page, `${url}/accounts`, '.account-table a');
  await page.getByRole('searchbox').fill('user_7');
  const begunAt = performance.now();
  await page.getByRole('searchbox').press('7');
  await page.locator('.data-age', { hasText: 'match' }).waitFor();
  return performance.now() - begunAt;
}

/** Scrolls the list of crawls for 120 frames, and returns the median of their durations in ms. */
async function scroll(page: Page, url: string): Promise<number> {
  await open(page, `${url}/crawls`, '.crawl-list-body a');
  return await page.evaluate<number>(`new Promise((resolve) => {
    const times = [];
    const step = (at) => {
      times.push(at);
      scrollBy(0, 120);
      if (times.length <= 120) return requestAnimationFrame(step);
      const frames = times.slice(1).map((time, i) => time - times[i]).sort((a, b) => a - b);
      resolve(frames[frames.length >> 1]);
    };
    requestAnimationFrame(step);
  })`);
}

// The account 1 of a large store has a million followers.
const STAR = '/accounts/user_1';
const MEASURES: Readonly<Record<string, (page: Page, url: string) => Promise<number>>> = {
  'overview: figures': (page, url) => open(page, url, '.figures'),
  'crawls: first rows': (page, url) => open(page, `${url}/crawls`, '.crawl-list-body a'),
  'crawls: a frame while scrolling': scroll,
  'collected accounts: first rows': (page, url) => open(page, `${url}/accounts`, '.account-table a'),
  'collected accounts by followers': (page, url) => open(page, `${url}/accounts?sort=followers`, '.account-table a'),
  'all accounts by followers': (page, url) => open(page, `${url}/accounts?show=all&sort=followers`, '.account-table a'),
  'all accounts by last seen': (page, url) => open(page, `${url}/accounts?show=all&sort=seen`, '.account-table a'),
  'search while typing, with its wait of 250': search,
  'the account that everybody follows': (page, url) => open(page, url + STAR, '.account-counts'),
  'its history': (page, url) => open(page, url + STAR, '#top-tweets'),
};

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

await using opened = createResourceStack();
const browser = await startBrowser();
opened.use({ [Symbol.asyncDispose]: () => browser.close() });
const urls: string[] = [];
for (const path of [small, large]) {
  openDatabase(path).$client.close();
  const settings = { path, minFree: { bytes: 0 }, reserve: { share: 0.1 }, databaseOption: '', queryFolders: [] };
  const dashboard = await startDashboard({
    settings: { ...settings, headroomShares: DEFAULT_HEADROOM_SHARES },
    ...{ host: '127.0.0.1', port: 0, readQueue: async () => undefined },
    ...{ env: {}, log: createLog({ level: 'silent' }) },
  });
  urls.push(opened.use(dashboard).url);
}
process.stdout.write('| page | small store | large store | ratio |\n| --- | --- | --- | --- |\n');
for (const [name, measure] of Object.entries(MEASURES)) {
  const times: number[][] = [[], []];
  for (let round = 0; round < Number(rounds); round++) {
    for (const [i, url] of urls.entries()) {
      await using tab = await openPage(browser, `${url}/assets/none`, { width: 1440, theme: 'light' });
      times[i]!.push(await measure(tab.page, url));
    }
  }
  const [first, second] = times.map(median) as [number, number];
  process.stdout.write(`| ${name} | ${first.toFixed(0)} | ${second.toFixed(0)} | ${(second / first).toFixed(2)} |\n`);
}
