import { expect, test } from 'vitest';
import type { CrawlEnd } from '#service/kinds/decide-end.ts';
import type { PageCommit } from '#store/schema/commit-messages.ts';
import type { Store } from '#store/store.ts';
import { rows, progressOf } from '../store/support.ts';
import { runCli } from '../support/cli.ts';
import { crawled, storeWith } from './support.ts';

/** A page that shows accounts with their handles, of the first of them. */
function showing(handles: Readonly<Record<string, string>>, at: number): Partial<PageCommit> {
  const users = Object.entries(handles).map(([restId, screenName]) => ({
    restId,
    screenName,
    detailLevel: 'reference' as const,
  }));
  return {
    rows: rows({ users }),
    at,
    progress: progressOf({ targetRestId: Object.keys(handles)[0] ?? null }),
  };
}

const DONE: CrawlEnd = { state: 'complete', ending: 'served' };
const timeline = (store: Store, target: string, page: Partial<PageCommit>, end = DONE) =>
  crawled(store, { kind: 'timeline', target }, end, page);

const LOST: CrawlEnd = { state: 'failed', reason: 'not_found', error: 'user-profile: 404 Not Found' };

/** Runs a command with the database of the environment. */
const trawl = (db: string, ...args: string[]) => runCli(args, { env: { TRAWL_DB: db } });
const unwrapped = (text: string): string => text.replaceAll(/\n {2}(?=\S)/g, ' ');

test('an account is found by a former handle that only it had, and hints use its id', async () => {
  const db = await storeWith(async (store) => {
    await timeline(store, 'star_now', showing({ 7: 'Star_Now' }, 1000));
    await timeline(store, 'id:7', showing({ 7: 'Star_Then' }, 2000));
    await timeline(store, 'star_now', { progress: progressOf({ pages: 0 }) }, LOST);
  });
  const renamed = 'star_now is now called Star_Then (id:7)';
  const coverage = await trawl(db, 'coverage', 'STAR_now');
  expect(coverage).toMatchObject({ code: 0, stderr: `${renamed}\n` });
  expect(coverage.stdout).toMatch(/^Star_Then \(id 7\)\n/);

  const again = 'crawls it again, from its first page';
  expect(unwrapped((await trawl(db, 'crawls', 'show', '1')).stdout)).toMatch(
    new RegExp(`${renamed.replace(/[()]/g, '\\$&')}\\.(.|\\n)*\`trawl crawl timeline id:7\` ${again}\\.`),
  );
  expect((await trawl(db, 'crawls', 'show', '3')).stdout).toContain('`trawl crawl timeline id:7` crawls it by its id.');
  expect((await trawl(db, 'crawls', 'resume', '1')).stderr).toContain('`trawl crawl timeline id:7` crawls it again.');
  const { crawls } = JSON.parse((await trawl(db, 'crawls', 'show', '1', '2', '--json')).stdout) as {
    crawls: { renamed: string | null }[];
  };
  expect(crawls.map((crawl) => crawl.renamed)).toEqual([renamed, null]);
});

test('a handle that another account took over leads to that account, and hints to the first one by id', async () => {
  const db = await storeWith(async (store) => {
    await timeline(store, 'star', showing({ 7: 'star' }, 1000));
    await timeline(store, 'star', showing({ 8: 'star' }, 2000));
  });
  expect(await trawl(db, 'coverage', 'star')).toMatchObject({
    stderr: 'earlier, star was the handle of id:7\n',
    stdout: expect.stringMatching(/^star \(id 8\)\n/),
  });
  const first = unwrapped((await trawl(db, 'crawls', 'show', '1')).stdout);
  expect(first).toContain('star is now the handle of id:8, not of id:7.');
  expect(first).toContain('`trawl crawl timeline id:7` crawls it again');
  expect((await trawl(db, 'crawls', 'show', '2')).stdout).toContain('`trawl crawl timeline star` crawls it again');
});

test('a former handle of several accounts leads to none of them', async () => {
  const db = await storeWith(async (store) => {
    await timeline(store, 'a', showing({ 7: 'star' }, 1000));
    await timeline(store, 'a', showing({ 7: 'seven', 8: 'star' }, 2000));
    await timeline(store, 'a', showing({ 8: 'eight' }, 3000));
  });
  expect(await trawl(db, 'coverage', 'star')).toMatchObject({
    code: 1,
    stdout: '',
    stderr:
      'trawl: no account has the handle star now, and 2 accounts had it: id:8, id:7\n' +
      '  Name one of them by its id.\n',
  });
});
