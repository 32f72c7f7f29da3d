import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { prepareAccountCoverage } from '#analysis/coverage/account-coverage.ts';
import { openReadOnly } from '#store/sqlite/database.ts';
import { rowsOf, type Service, serve, valueOf, withWorld } from '../e2e/support.ts';
import { runCli, runSuccessfully } from '../support/cli.ts';

const world = withWorld(60, 11);
const ACCOUNTS = ['HarbourNews', 'nightsky_now'];

/** Crawls timelines and replies of two accounts, a search and a tweet. */
async function crawl(service: Service): Promise<void> {
  const { env } = service;
  for (const kind of ['timeline', 'replies']) {
    const { code, stderr } = await runCli(['crawl', kind, ...ACCOUNTS, '--quiet'], { env });
    expect(code, stderr).toBe(0);
  }
  await runSuccessfully(['crawl', 'search', '#nightsky', '--quiet'], { env });
  const [tweet] = rowsOf<{ id: string }>(service.db, 'select rest_id as id from tweets order by created_at limit 1');
  await runSuccessfully(['crawl', 'tweet', tweet!.id, '--quiet'], { env });
}

/** The time before which half of the stored tweets were written. */
const medianOf = (db: string): number =>
  valueOf(db, 'select created_at from tweets order by created_at limit 1 offset (select count(*) / 2 from tweets)');

const idsOf = (db: string, condition = 'true'): string[] =>
  rowsOf<{ id: string }>(db, `select rest_id as id from tweets where ${condition} order by 1`).map(({ id }) => id);

const toIso = (at: number): string => new Date(at).toISOString();

/** The tables that refer to tweets, with the columns that do. */
const PARTS = {
  media: 'tweet_id',
  tweet_links: 'tweet_id',
  tweet_hashtags: 'tweet_id',
  tweet_mentions: 'tweet_id',
  tweet_history: 'tweet_id',
  _deletion_evidence: 'tweet_id',
  search_hits: 'tweet_id',
  list_tweets: 'tweet_id',
  community_tweets: 'tweet_id',
  tweet_replies: 'tweet_id',
  _tweet_stale_columns: 'tweet_id',
};

/** No times that are called complete lack a tweet of the world. Returns the gaps, which a prune must not change. */
function checkClaims(db: string): unknown[] {
  using store = openReadOnly(db);
  const readCoverage = prepareAccountCoverage(store);
  const stored = new Set(idsOf(db));
  const gaps: unknown[] = [];
  for (const screenName of ACCOUNTS) {
    const truth = world.db.$client
      .prepare<[string], { id: string; at: number; isReply: 0 | 1; account: string }>(
        `select t.rest_id as id, t.created_at as at, t.in_reply_to_status_rest_id is not null as isReply, u.rest_id as account
         from tweets t join users u on u.id = t.author_id where u.screen_name = ?`,
      )
      .all(screenName);
    const views = rowsOf<{ kind: string; from: number | null; to: number }>(
      db,
      'select kind, from_ms as [from], to_ms as [to] from v_observed_periods where account_rest_id = ?',
      truth[0]!.account,
    );
    for (const { kind, segments } of readCoverage(truth[0]!.account)!.orderedLists) {
      const tweets = truth.filter(({ isReply }) => kind === 'replies' || isReply === 0);
      const within = (from: number | null, to: number) =>
        tweets.filter(({ at }) => (from === null || from < at) && at < to).filter(({ id }) => !stored.has(id));
      const complete = segments.filter(({ state }) => state === 'complete');
      for (const { from, to } of complete) expect(within(from, to), `${kind} of ${screenName}`).toEqual([]);
      for (const { state, from, to } of segments) if (state === 'gap') gaps.push([screenName, kind, from, to]);
      for (const period of views.filter((view) => view.kind === kind))
        expect(within(period.from, period.to), `v_observed_periods of ${kind} of ${screenName}`).toEqual([]);
      expect(
        valueOf(db, 'select is_complete from v_completeness where kind = ? and target = ?', kind, screenName),
      ).toBe(kind === 'timeline' && !segments.some((segment) => segment.state === 'pruned') ? 1 : 0);
    }
  }
  return gaps;
}

test('prune tweets removes exactly the older tweets, with their parts and all bodies that show them, and says so', async () => {
  const service = await serve(world, { pageSize: { 'user-tweets': 5 } });
  const { db, env } = service;
  await crawl(service);
  const gaps = checkClaims(db);
  const limit = medianOf(db);
  const before = idsOf(db);
  const kept = idsOf(db, `created_at >= ${limit}`);
  const bodies = valueOf(db, 'select count(*) from raw_pages');
  const crawls = rowsOf(db, 'select id, state, pages, items from crawls');

  const prune = ['prune', 'tweets', '--older-than', toIso(limit), '--db', db, '--json'];
  const preview = JSON.parse((await runSuccessfully([...prune, '--dry-run'])).stdout) as PruneDocument;
  expect(idsOf(db)).toEqual(before);
  expect(valueOf(db, 'select count(*) from _prunes')).toBe(0);
  const refused = await runCli(prune);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') as string });
  const done = JSON.parse((await runSuccessfully([...prune, '--yes', '--vacuum'])).stdout) as PruneDocument;

  expect(done.prunes[0]!.rows).toEqual(preview.prunes[0]!.rows);
  expect(done.prunes[0]!.rows).toMatchObject({ tweets: before.length - kept.length });
  expect(done.prunes[0]!.bodyBytes).toBe(preview.prunes[0]!.bodyBytes);
  expect(idsOf(db)).toEqual(kept);
  for (const [table, column] of Object.entries(PARTS))
    expect(valueOf(db, `select count(*) from ${table} where ${column} not in (select id from tweets)`), table).toBe(0);
  expect(valueOf(db, 'select count(*) from tweets_fts_docsize where id not in (select id from tweets)')).toBe(0);
  expect(rowsOf(db, 'pragma foreign_key_check')).toEqual([]);
  expect(rowsOf(db, 'select id, state, pages, items from crawls')).toEqual(crawls);
  const left = valueOf(db, 'select count(*) from raw_pages');
  expect(left).toBeLessThan(bodies);
  expect(bodies - left).toBe(done.prunes[0]!.rows['raw_pages']);
  expect(checkClaims(db)).toEqual(gaps);

  // Neither the bodies nor the rest of the file have a pruned tweet.
  const file = await scan(db);
  const texts = (ids: readonly string[]) =>
    world.db.$client
      .prepare<[string], string>('select text from tweets where rest_id in (select value from json_each(?))')
      .pluck()
      .all(JSON.stringify(ids))
      .filter((text) => text.length > 30);
  const gone = texts(before.filter((id) => !kept.includes(id)));
  const others = texts(kept).join('\n');
  expect(gone.length).toBeGreaterThan(10);
  expect(gone.filter((text) => !others.includes(text) && file.includes(text))).toEqual([]);
  expect(texts(kept).every((text) => file.includes(text))).toBe(true);

  const page = `${db}.html`;
  await runSuccessfully(['report', 'search', '#nightsky', '-o', page, '--db', db]);
  expect(readFileSync(page, 'utf8')).toMatch(
    /<strong>Pruned\.<\/strong>\d+ tweets that it found were removed from the database/,
  );

  // An incremental crawl costs as many requests as without the prune, and fetches no pruned page.
  const asked = service.asked.length;
  await runSuccessfully(['crawl', 'timeline', ...ACCOUNTS, '--quiet'], { env });
  expect(service.asked.length - asked).toBe(ACCOUNTS.length);
  checkClaims(db);
  const plan = JSON.parse(
    (
      await runSuccessfully(['backfill', 'timeline', ACCOUNTS[0]!, '--since', '2000-01-01', '--dry-run', '--json'], {
        env,
      })
    ).stdout,
  ) as { timeline?: { gaps?: unknown } };
  expect(JSON.stringify(plan)).not.toContain('"gaps": [{');

  // A rebuild keeps all rows, and brings none back.
  const rows = idsOf(db);
  const rebuilt = await runSuccessfully(['rebuild', '--db', db, '--quiet']);
  expect(rebuilt.stderr).toContain('withheld (pruned, or showing forgotten accounts): all rows are kept');
  expect(idsOf(db)).toEqual(rows);
  checkClaims(db);

  // Asked for, the whole list is fetched again, and is complete.
  await runSuccessfully(['crawl', 'timeline', ...ACCOUNTS, '--full-refresh', '--quiet'], { env });
  expect(rowsOf(db, "select * from pruned_ranges where kind = 'timeline'")).toEqual([]);
  expect(rowsOf(db, "select is_complete from v_completeness where kind = 'timeline'")).toEqual([
    { is_complete: 1 },
    { is_complete: 1 },
  ]);
  checkClaims(db);
});

interface PruneDocument {
  readonly prunes: readonly { readonly rows: Record<string, number>; readonly bodyBytes: number }[];
}

/** The bytes of the file, its log and all its bodies, as text. */
async function scan(db: string): Promise<string> {
  const { existsSync, readFileSync } = await import('node:fs');
  const { decompressBody } = await import('#base/raw-bodies.ts');
  const files = [db, `${db}-wal`].filter((file) => existsSync(file)).map((file) => readFileSync(file).toString('utf8'));
  const bodies = rowsOf<Parameters<typeof decompressBody>[0]>(db, 'select encoding, body from raw_pages');
  const texts = await Promise.all(bodies.map(decompressBody));
  return [...files, ...texts.map((body) => body.toString('utf8'))].join('\n');
}
