import { expect, onTestFinished, test } from 'vitest';
import { readCountPair } from '#analysis/account-counts.ts';
import { prepareAccountCoverage } from '#analysis/coverage/account-coverage.ts';
import { groupCrawls, listCrawlIds, listCrawls } from '#analysis/crawls/crawl-list.ts';
import { readOverview } from '#analysis/crawls/crawl-overview.ts';
import { readObservedTimes, selectAccountCrawls } from '#analysis/history/crawl-selection.ts';
import { prepareLastSuccess } from '#analysis/jobs/job-answer.ts';
import { findEmptyLists } from '#analysis/quality/empty-lists.ts';
import { readAccountLines } from '#dashboard/server/pages/account-lines.ts';
import { listAccountIds } from '#dashboard/server/pages/list-accounts.ts';
import { readGaps, readIntervals } from '#store/coverage/intervals.ts';
import { readJobRuns } from '#store/crawls/job-runs.ts';
import { users } from '#store/schema/tables.ts';
import { type Db, openDatabase } from '#store/sqlite/database.ts';
import { createStoreReads } from '#store/store-reads.ts';
import { tempFile } from '../support/temp.ts';

const open = (): Db => {
  const db = openDatabase(tempFile('store.db'));
  onTestFinished(() => void db.$client.close());
  db.insert(users).values({ restId: '1', firstSeenAt: 1 }).run();
  return db;
};

/** The steps of the query plans of all statements that `read` prepares. */
function planOf(read: (db: Db) => unknown): string[] {
  const db = open();
  const { $client } = db;
  const prepare = $client.prepare.bind($client);
  const statements: string[] = [];
  Object.assign($client, { prepare: (sql: string) => (statements.push(sql), prepare(sql)) });
  read(db);
  return statements.flatMap((sql) => {
    const names = [...sql.matchAll(/[@:]([a-z]\w*)/gi)].map(([, name]) => [name, null] as const);
    const values = names.length > 0 ? [Object.fromEntries(names)] : [...sql.matchAll(/\?/g)].map(() => null);
    const steps = prepare(`explain query plan ${sql}`).all(...values) as { detail: string }[];
    return steps.map(({ detail }) => detail);
  });
}

const LISTS = { kinds: ['timeline', 'replies'], targets: ['1', 'id:1'] };
const reads: Readonly<Record<string, (db: Db) => unknown>> = {
  'crawls list --state': (db) => listCrawls(db, { states: ['failed', 'partial'], limit: 50 }),
  'crawls list --kind': (db) => listCrawls(db, { kinds: ['search'], limit: 50 }),
  'crawls list --state --kind': (db) => listCrawls(db, { states: ['failed'], kinds: ['search'], limit: 50 }),
  'crawls list --reason': (db) => listCrawls(db, { reasons: ['not_found'], limit: 50 }),
  'crawls list --priority': (db) => listCrawls(db, { priorities: ['backfill'], limit: 50 }),
  'crawls list --job': (db) => listCrawls(db, { jobs: ['a job'], limit: 50 }),
  'the next page of crawls': (db) => listCrawlIds(db, { states: ['failed'] }, { after: [9, 9], limit: 50 }),
  'counts beside facets': (db) => groupCrawls(db, { states: ['failed'], jobs: ['a job'] }),
  'the next page of accounts': (db) => [
    listAccountIds(db, { sort: 'stored', isReversed: false }, { after: [0, 9, 9], limit: 50 }),
    listAccountIds(db, { sort: 'handle', isReversed: false }, { after: [0, 'a', 9], limit: 50 }),
    readAccountLines(db, [1]),
  ],
  'the crawls of an account': (db) =>
    readObservedTimes(db, '1', selectAccountCrawls({ restId: '1', screenName: 'nasa' })),
  'schedule list': (db) => [prepareLastSuccess(db)('a job'), readJobRuns(db, 'a job', 10)],
  coverage: (db) => [
    readIntervals(db, LISTS),
    readGaps(db, LISTS),
    findEmptyLists(db, '1'),
    ...(['timeline', 'replies', 'followers', 'following'] as const).map((kind) => readCountPair(db, '1', kind)),
    prepareAccountCoverage(db)('1'),
  ],
  plan(db) {
    const store = createStoreReads(db);
    const facts = store.planningReads();
    return [
      facts.kindStatistics('followers'),
      facts.listShares('followers', 'followersCount'),
      facts.listShares('timeline', 'statusesCount'),
      facts.latestCrawls('followers', ['a', 'b']),
      facts.listMembers('followers', '1', 100),
      facts.meanRequestMs(),
      store.latestSuccess('timeline', '1', ['a']),
    ];
  },
};

/** Indexes of few rows, and a short index that is read without the table. */
const SHORT =
  /USING (COVERING )?INDEX crawls_(paused|paused_reason|pending|in_flight_requests|unknown_requests|locked_by)\b|USING COVERING INDEX crawls_state/;
/** Reads all rows of a table or of an index. */
const WHOLE = /^SCAN (crawls|requests|coverage|gaps|follows|users|tweets|runs)\b/;

test.each(Object.entries(reads))('%s reads no whole table', (_, read) => {
  expect(planOf(read).filter((step) => WHOLE.test(step) && !SHORT.test(step))).toEqual([]);
});

test('status reads no whole index, and of tables only the newest rows', () => {
  const steps = planOf((db) => readOverview(db, 1));
  expect(steps.filter((step) => WHOLE.test(step) && / USING /.test(step) && !SHORT.test(step))).toEqual([]);
});

test.each(['coverage', 'plan', 'schedule list'])('%s does not read all crawls of a state', (name) => {
  expect(planOf(reads[name]!).filter((step) => step.startsWith('SEARCH crawls USING INDEX crawls_state'))).toEqual([]);
});

test('v_completeness does not search crawls once per list', () => {
  const steps = open()
    .$client.prepare<[], { id: number; parent: number; detail: string }>(
      'explain query plan select * from v_completeness',
    )
    .all();
  const isRepeated = (step: (typeof steps)[number] | undefined): boolean =>
    step !== undefined &&
    (step.detail.startsWith('CORRELATED') || isRepeated(steps.find(({ id }) => id === step.parent)));
  expect(steps.filter(isRepeated).filter(({ detail }) => detail.includes('INDEX crawls_'))).toEqual([]);
  expect(steps.some(isRepeated)).toBe(true);
});
