import { describe, expect, test } from 'vitest';
import { followedBy, serve, valueOf, withWorld } from '../e2e/support.ts';
import { rows, spec, progressOf } from '../store/support.ts';
import { runCli, failure } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';
import { crawled, storeWith } from './support.ts';

const world = withWorld(120, 7);

/** A sentence may go on in the next line. */
const unwrapped = (text: string): string => text.replaceAll(/(?<![.─])\n {2}(?=\S)/g, ' ');

const trawl = (db: string, ...args: string[]) => runCli(['crawls', ...args, '--db', db]);
const json = async (db: string, ...args: string[]) =>
  JSON.parse((await trawl(db, ...args, '--json')).stdout) as Record<string, Record<string, unknown>[]>;

describe('trawl crawls list', () => {
  test('shows crawls newest first with their reasons, and filters them', async () => {
    const db = await storeWith(async (store) => {
      await crawled(store, {}, { state: 'partial', reason: 'max_pages' });
      await crawled(store, { kind: 'timeline' }, { state: 'failed', reason: 'not_found', error: 'no such user' });
      await store.write.openCrawls([spec({ target: 'esa' })], Date.now());
    });
    const { code, stdout, stderr } = await trawl(db);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^id +kind +target +state +pages +items +new +requests +age +reason$/);
    expect(lines[2]).toMatch(/^ 3 +followers +esa +queued +0 +0 +0 +0 /);
    expect(lines[3]).toMatch(/^ 2 +timeline +nasa +failed +1 .* the service does not have it: no such user$/);
    expect(lines[4]).toMatch(/^ 1 +followers +nasa +partial +1 +3 .* page limit reached: more remain$/);

    const narrow = await json(db, 'list', '--state', 'failed', 'partial', '--kind', 'followers');
    expect(narrow).toMatchObject({ total: 1, crawls: [{ id: 1, state: 'partial', resumeAt: null }] });
    const found = await json(db, 'list', '--target', '@NA', '--sort', 'pages', '--reverse', '--reason', 'not_found');
    expect(found).toMatchObject({ total: 1, crawls: [{ id: 2 }] });
    expect(await trawl(db, 'list', '--target', 'moon')).toMatchObject({ stderr: 'no matching crawl\n' });
    const sorted = await json(db, 'list', '--sort', 'target');
    expect(sorted['crawls']!.map(({ id }) => id)).toEqual([3, 1, 2]);
    expect(await trawl(db, 'list', '--limit', '1')).toMatchObject({
      stderr: 'showing the newest 1 of 3 crawls; use --limit for more\n',
    });
  });

  test('distinguishes the windows of a search, also in the status', async () => {
    const db = await storeWith(async (store) => {
      const [from, to] = [Date.UTC(2025, 5), Date.UTC(2026, 0)];
      await crawled(store, { kind: 'search', target: '#cop', options: JSON.stringify({ from, to }) });
    });
    const target = / search +#cop, from 2025-06-01, up to 2026-01-01 +\w+ /;
    expect((await trawl(db)).stdout).toMatch(target);
    expect((await runCli(['status --db', db])).stdout).toMatch(target);
  });
});

describe('trawl crawls show', () => {
  test('explains a crawl and the next step', async () => {
    const db = await storeWith(async (store) => {
      const users = [
        { restId: '1', detailLevel: 'profile', screenName: 'nasa', statusesCount: 40 } as const,
        { restId: '2', detailLevel: 'reference' } as const,
      ];
      const [newest, oldest] = [
        { id: '70', at: Date.UTC(2025, 1, 2) },
        { id: '69', at: Date.UTC(2025, 1, 1) },
      ] as const;
      const tweet = { restId: '70', authorRestId: '1', text: 't', media: [], hashtags: [], mentions: [], links: [] };
      await crawled(
        store,
        { kind: 'timeline', options: '{"maxPages":1,"since":1735689600000}', priority: 'backfill' },
        { state: 'partial', reason: 'max_pages' },
        {
          rows: rows({ users, tweets: [tweet], rejects: [{ path: '/data/x', reason: 'has no id', sample: '{}' }] }),
          progress: progressOf({ cursor: 'A', targetRestId: '1', items: 1, rejectedItems: 1 }),
          coverage: { spans: [{ newest, oldest, pages: 1, items: 1 }] },
          requests: [
            { endpoint: 'user-tweets', at: 1, status: 200, ms: 30, bytes: 2500 },
            { endpoint: 'user-profile', at: 1, status: null, ms: 10, bytes: 0, error: 'no answer' },
          ],
          children: [spec({ target: 'a' }), spec({ target: 'b' })],
        },
      );
    });
    const { stdout, code } = await trawl(db, 'show', '1');
    expect(code).toBe(0);
    for (const sentence of [
      /^crawl 1: timeline of nasa\n/,
      / at most 1 page, down to 2025-01-01, priority backfill; the account's id is 1\.\n/,
      / It ended partial \d+ s ago, after 1\d s: page limit reached: more remain\.\n/,
      / 1 page with 1 tweet, 1 of them new, for 2 requests\.\n/,
      // The count includes replies.
      / All crawls of the list: 1 stored\.\n/,
      / from 2025-02-02 down to 2025-02-01; 1 gap: from 2025-02-01 down \(page limit\)\.\n/,
      / Child crawls: 2 \(2 queued\)\.\n/,
      / Rejected: 1 item\.\n +\/data\/x has no id\n/,
      / `trawl crawls resume 1 --db \S+` continues after page 1, without the limit, or with --max-pages n for n more pages\.\n/,
      /user-tweets +200 +1 +2\.5 kB +30 ms\n/,
      /user-profile +no response +1 +0 B/,
    ]) {
      expect(
        [stdout, unwrapped(stdout)].some((text) => sentence.test(text)),
        `${sentence} in ${stdout}`,
      ).toBe(true);
    }
    expect((await json(db, 'show', '1', '2'))['crawls']).toMatchObject([
      {
        id: 1,
        children: { queued: 2 },
        counts: {
          stored: 1,
          reported: null,
          score: null,
        },
        coverage: {
          intervals: [
            {
              listEnd: null,
              newestRestId: '70',
            },
          ],
          gaps: [
            {
              reason: 'max_pages',
              crawlId: 1,
              olderRestId: null,
            },
          ],
        },
        firstRejects: [
          {
            path: '/data/x',
            reason: 'has no id',
          },
        ],
      },
      { id: 2, state: 'queued', parentId: 1, coverage: null },
    ]);
  });

  test('shows where a crawl without pages would resume', async () => {
    const end = { state: 'failed', reason: 'contract_broken' } as const;
    const db = await storeWith((store) => crawled(store, {}, end, { progress: progressOf({ pages: 0 }) }));
    const { stdout } = await trawl(db, 'show', '1');
    expect(stdout).toContain('  No page, for 0 requests.\n');
    expect(unwrapped(stdout)).toMatch(
      /`trawl crawls resume 1 --db \S+` restarts at the first page; `trawl doctor --db \S+` has details\.\n/,
    );
    expect((await trawl(db, 'resume', '1')).stdout).toContain('restarts at the first page\n');
  });

  test('suggests nothing for a crawl whose list a later one has read', async () => {
    const db = await storeWith(async (store) => {
      const page = { progress: progressOf({ cursor: 'A', items: 1 }) };
      await crawled(store, { options: '{"maxPages":1}' }, { state: 'partial', reason: 'max_pages' }, page);
      await crawled(store, {}, { state: 'complete', ending: 'served' }, {});
    });
    const [first] = (await json(db, 'show', '1'))['crawls'] as { next: string }[];
    expect(first!.next).toBe('A later crawl repeats it, or has read the whole list: it needs nothing.');
  });

  test('shows what closes the gap below a complete crawl', async () => {
    const [newest, oldest] = [
      { id: '70', at: 2000 },
      { id: '69', at: 1000 },
    ] as const;
    const coverage = { spans: [{ newest, oldest, pages: 1, items: 2 }], left: 'out_of_order' as const };
    const users = [{ restId: '1', screenName: 'nasa', detailLevel: 'reference' } as const];
    const page = { progress: progressOf({ targetRestId: '1', items: 2 }), coverage, rows: rows({ users }) };
    const end = { state: 'complete', ending: 'served' } as const;
    const db = await storeWith((store) => crawled(store, { kind: 'timeline' }, end, page));
    const stdout = unwrapped((await trawl(db, 'show', '1')).stdout);
    expect(stdout).toContain('(the list is not in chronological order)');
    expect(stdout).toMatch(
      /`trawl crawl timeline nasa --db \S+` crawls it again, from its first page, and closes the gap\./,
    );
  });

  test('reports a crawl that does not exist', async () => {
    const db = await storeWith(async (store) => void (await store.write.openCrawls([spec()], 1)));
    expect(await trawl(db, 'show', '1', '9')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `trawl: there is no crawl 9\n  \`trawl crawls --db ${db}\` lists the crawls.\n`,
    });
  });
});

describe('trawl crawls cancel', () => {
  test('ends a crawl and its child crawls, and says if nothing was unfinished', async () => {
    const db = await storeWith((store) =>
      crawled(store, {}, undefined, { children: [spec({ target: 'a' }), spec({ target: 'b' })] }),
    );
    expect(await trawl(db, 'cancel', '1')).toMatchObject({
      code: 0,
      stdout: 'crawl 1, followers of nasa, cancelled\nand 2 child crawls\n',
    });
    expect(await trawl(db, 'cancel', '1')).toMatchObject({
      code: 0,
      stdout: 'crawl 1, followers of nasa, had already ended: cancelled\n',
      stderr: 'no unfinished crawl: nothing was cancelled\n',
    });
    expect(valueOf(db, "select count(*) from crawls where state = 'cancelled'")).toBe(3);

    const again = await json(db, 'resume', '1');
    expect(again).toMatchObject({ resumed: [{ id: 1, state: 'queued', pages: 1 }, { id: 2 }, { id: 3 }], refused: [] });
    expect(valueOf(db, "select count(*) from crawls where state = 'queued' and finished_at is null")).toBe(3);
  });

  test('changes nothing when one of the crawls does not exist', async () => {
    const db = await storeWith(async (store) => void (await store.write.openCrawls([spec()], 1)));
    expect(await trawl(db, 'cancel', '1', '9')).toMatchObject(failure(1, 'there is no crawl 9'));
    expect(valueOf(db, "select count(*) from crawls where state = 'queued'")).toBe(1);
  });
});

describe('trawl crawls resume', () => {
  test('--reason reopens the crawls that ended for it with their trees, unless they were crawled again', async () => {
    const unreachable = { state: 'failed', reason: 'unreachable', error: 'it was down' } as const;
    const db = await storeWith(async (store) => {
      for (const target of ['nasa', 'esa', 'redone']) await crawled(store, { target }, unreachable);
      await crawled(store, { target: 'gone' }, { state: 'failed', reason: 'not_found' });
      await crawled(store, { target: 'redone' }, { state: 'complete' });
    });
    const { resumed, refused } = await json(db, 'resume', '--reason', 'unreachable');
    expect(resumed!.map(({ id, state, target }) => [id, state, target])).toEqual([
      [1, 'queued', 'nasa'],
      [2, 'queued', 'esa'],
    ]);
    expect(refused).toEqual([]);
    expect(await trawl(db, 'resume', '--reason', 'unreachable')).toMatchObject({
      code: 0,
      stderr: 'no crawl ended with the reason unreachable\n',
    });
    expect(await trawl(db, 'resume')).toMatchObject({ code: 2 });
  });

  test('refuses a complete crawl with the command that crawls it again', async () => {
    const db = await storeWith((store) =>
      crawled(
        store,
        { kind: 'search', target: "it's #moon", options: '{"maxPages":3}' },
        { state: 'complete', ending: 'served' },
      ),
    );
    expect(await trawl(db, 'resume', '1')).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        "crawl 1, search for it's #moon, cannot be resumed: it is complete\n" +
        `  \`trawl crawl search 'it'\\''s #moon' --max-pages 3 --db ${db}\` crawls it again.\n`,
    });
  });

  test('a crawl stopped at --max-pages resumes to the end and fetches no page twice (invariants 1 and 9)', async () => {
    const { handle, id, followers } = followedBy(world, 20);
    const { env, asked } = await serve(world, { pageSize: 3 });
    const db = tempFile('mine.db');
    const run = (...args: string[]) => runCli(args, { env: { ...env, TRAWL_DB: db } });
    expect(await run('crawl followers', `id:${id}`, '--max-pages', '2', '-q')).toMatchObject({ code: 3 });
    expect(await run('crawls resume 1 --max-pages 1')).toMatchObject({
      code: 0,
      stdout: `crawl 1, followers of id:${id}, continues after page 2, up to page 3\n`,
      stderr: '`trawl work` runs queued crawls\n',
    });
    expect(await run('work --exit-when-idle -q')).toMatchObject({ code: 0 });
    expect(asked, handle).toHaveLength(3);
    expect(await run('crawls resume 1')).toMatchObject({
      stdout: `crawl 1, followers of id:${id}, continues after page 3, without its page limit\n`,
    });
    expect(await run('work --exit-when-idle -q')).toMatchObject({ code: 0 });
    expect(valueOf(db, "select state || ' ' || items from crawls")).toBe(`complete ${followers}`);
    expect(valueOf(db, 'select count(*) from follows')).toBe(followers);
    const pages = asked.filter(({ endpoint }) => endpoint === 'followers');
    expect(new Set(pages.map(({ parameters }) => parameters['cursor'])).size).toBe(pages.length);
    // The owner's count, at the end of a first list of an id.
    expect(asked).toHaveLength(pages.length + 1);
  });
});
