import { describe, expect, test } from 'vitest';
import { checkAppearances, SOFTWARE_WEBGL } from '../support/browser.ts';
import { createStoreFile } from '../support/store-file.ts';
import { createTempDir } from '../support/temp.ts';
import { createAccountStore } from './accounts/account-store.ts';
import { createCrawlStore } from './crawls/crawl-store.ts';
import { createFindStore } from './find/find-store.ts';
import { EGO, restIdOf } from './network/network-rows.ts';
import { createNetworkStore } from './network/network-store.ts';
import { shareBrowser } from './open-page.ts';
import { createFullStore } from './overview-store.ts';
import { createQualityStore } from './quality/quality-store.ts';
import { createQueryFolder } from './queries/query-folder.ts';
import { createJobStore } from './schedules/job-store.ts';
import { SETTINGS, shareDashboard } from './support.ts';

/** All pages in both themes and two widths, also with hostile texts, without data and for what does not exist. */

const queries = createTempDir();
createQueryFolder(queries.path);

const HOSTILE_NETWORK = {
  communities: [20, 10],
  follows: [6, 0] as const,
  collected: 0.9,
  names: {
    2: { handle: 'مرحبا', name: '<img src=x onerror=alert(1)>\u202Egnp.exe' },
    3: { handle: `x${'y'.repeat(90)}` },
  },
};

type Create = (file: string) => unknown;

/** Stores, with addresses and what is on them when they are complete. */
const CASES: readonly (readonly [
  store: string,
  create: Create,
  pages: readonly (readonly [path: string, ready: string])[],
])[] = [
  ['a full store', createFullStore, [['/', '.figures']]],
  [
    'an empty store',
    createStoreFile,
    [
      ['/', '.figures'],
      ['/quality', '.empty-title'],
      ['/nothing', 'h1'],
    ],
  ],
  [
    'accounts',
    (file) => createAccountStore(60, { file }),
    [
      ['/accounts?show=all&sort=followers', '.block-table'],
      ['/accounts?q=user_2', '.block-table'],
      ['/accounts/id:1', '.coverage-axis'],
      ['/accounts/id:2', 'main h2'],
      ['/accounts/nobody', '.banner.error'],
      ['/queries', '.query-list'],
      ['/queries/hostile?run-now=1', '.row-table'],
      ['/queries/many?count=40&view-as=chart&run-now=1', '.result-chart'],
      ['/queries/tweets-per-period?since=x&run-now=1', '.field .bad'],
      ['/queries/mutual-follows?account=star&run-now=1', '.missing'],
    ],
  ],
  [
    'crawls',
    (file) => createCrawlStore(30, file),
    [
      ['/crawls', '.block-table'],
      ['/crawls/13', '.evidence'],
      ['/crawls/7', '.evidence'],
      ['/crawls?q=nothing', '.empty-title'],
    ],
  ],
  [
    'a search',
    (file) => createFindStore(0, file),
    [
      ['/find', '.empty-title'],
      ['/find?q=rain&deleted=1', '.rows'],
      ['/find?q=rain&in=accounts', '.rows'],
      ['/find?q=from%3Anasa+since%3Asoon', '.empty-title'],
    ],
  ],
  [
    'a network',
    (file) => createNetworkStore(HOSTILE_NETWORK, file),
    [
      [`/network?accounts=id:${EGO.restId}`, '.network-canvas canvas'],
      ['/network', '.empty-title'],
      [`/network?accounts=id:${restIdOf(4)}&depth=0`, '.empty-title'],
      ['/network?panel=nobody', '.banner'],
    ],
  ],
  [
    'jobs',
    createJobStore,
    [
      ['/schedules', '.block-table'],
      ['/schedules/hourly', '.pairs'],
      ['/schedules/disabled', '.pairs'],
      ['/schedules/nobody', '.banner'],
    ],
  ],
  ['rejects and drift', createQualityStore, [['/quality', '.row-table']]],
];

const browser = shareBrowser(SOFTWARE_WEBGL);

describe.each(CASES)('pages of %s', (_, create, pages) => {
  const dashboard = shareDashboard(create, (path) => ({
    settings: { ...SETTINGS, path, queryFolders: [queries.path] },
  }));

  test.each(pages)('%s has no violation, fits, and takes texts for texts', async (path, ready) => {
    const page = await browser.open(dashboard.url + path);
    await page.locator(ready).first().waitFor({ state: 'attached' });
    const heading = (await page.locator('h1').textContent())!.replaceAll(/\s+/g, ' ').trim();
    expect(await page.title()).toBe(`${heading} · store.db · trawl`);
    await checkAppearances(page, path);
    expect(await page.locator('main img:not([src^="data:image/svg"])').count()).toBe(0);
    expect(await page.locator('main').innerText()).not.toMatch(/[\u202a-\u202e]/);
  });
});
