import { onTestFinished, expect, test } from 'vitest';
import {
  countFacets,
  FACET_NAMES,
  groupCrawls,
  type CrawlFilter,
  type CrawlPosition,
  listCrawlIds,
  listCrawls,
} from '#analysis/crawls/crawl-list.ts';
import { CRAWL_SORTS } from '#analysis/crawls/crawl-sorts.ts';
import { createSeededRandom } from '#base/seeded-random.ts';
import { decideResume } from '#crawl/slice/resume.ts';
import { KIND_NAMES } from '#service/kinds/kinds.ts';
import { PRIORITIES } from '#service/quota/priorities.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import { crawls, runs } from '#store/schema/tables.ts';
import { CRAWL_STATES } from '#store/schema/tables/crawl-states.ts';
import { type Db, openDatabase } from '#store/sqlite/database.ts';
import { createStoreFile } from '../support/store-file.ts';

const SEED = Date.now() % 100_000;
const JOBS = ['nightly', 'a "job", with 100%', null];
const TARGETS = ['nasa', 'esa', 'na_sa', 'id:11348282', '#moon', 'from:esa 100%', 'éclair', 'ναύτης'];

const createDraw = (seed: number) => createSeededRandom(seed, 'crawls').integerBelow;

/** A store with 400 crawls with values in all combinations, and its rows. */
function drawStore(draw: (n: number) => number): { db: Db; rows: CrawlRow[]; jobOf: Map<number, string | null> } {
  const db = openDatabase(createStoreFile());
  onTestFinished(() => void db.$client.close());
  const jobOf = new Map(JOBS.flatMap((job, i) => [i * 2 + 1, i * 2 + 2].map((id) => [id, job])));
  for (const [id, jobName] of jobOf) db.insert(runs).values({ id, jobName, createdAt: id }).run();
  const pick = <T>(values: readonly T[]): T => values[draw(values.length)]!;
  db.$client.exec('begin');
  for (let i = 1; i <= 400; i++) {
    const state = pick(CRAWL_STATES);
    const isEnded = !['queued', 'running', 'paused'].includes(state);
    db.insert(crawls)
      .values({
        kind: pick(KIND_NAMES),
        target: pick(TARGETS),
        options: `{"maxPages":${i}}`,
        priority: pick(PRIORITIES),
        state,
        reason: pick(['not_found', 'quota', 'erased', null]),
        ending: isEnded ? pick(['served', 'since', null]) : null,
        targetRestId: pick(['11348282', null]),
        handle: pick(['NASA', 'ÉCLAIR', null]),
        runId: pick([...jobOf.keys(), null]),
        pages: draw(5),
        requests: draw(9),
        createdAt: 1,
        startedAt: pick([null, 5 + draw(4)]),
        updatedAt: 20 + draw(9),
        finishedAt: isEnded ? 30 + draw(5) : null,
      })
      .run();
  }
  db.$client.exec('commit');
  return { db, rows: db.select().from(crawls).orderBy(crawls.id).all(), jobOf };
}

/** The same conditions over rows in memory. */
function matches(row: CrawlRow, job: string | null, filter: CrawlFilter): boolean {
  const among = (values: readonly unknown[] | undefined, value: unknown): boolean => values?.includes(value) ?? true;
  const typed = (filter.target ?? '').trim();
  const part = typed.replace(/^@/, '').toLowerCase();
  const hasText = [row.target, row.handle ?? ''].some((text) => text.toLowerCase().includes(part));
  return (
    among(filter.states, row.state) &&
    among(filter.kinds, row.kind) &&
    among(filter.reasons, row.reason) &&
    among(filter.priorities, row.priority) &&
    among(filter.jobs, job) &&
    among(filter.runs, row.runId) &&
    (hasText || `#${row.id}` === typed || row.targetRestId === typed.replace(/^id:/, ''))
  );
}

function drawFilter(draw: (n: number) => number): CrawlFilter {
  const some = <T>(values: readonly T[]): readonly T[] | undefined =>
    draw(3) > 0 ? undefined : values.filter(() => draw(2) === 0);
  return {
    states: some(CRAWL_STATES),
    kinds: some(KIND_NAMES),
    reasons: some(['not_found', 'quota']),
    priorities: some(PRIORITIES),
    jobs: some(['nightly', 'a "job", with 100%']),
    runs: some([1, 2, 3]),
    target: draw(2) === 0 ? undefined : ['@NASA', 'na_', '100%', '11348282', 'id:11348282', '#12', 'ÉCL', ' '][draw(8)],
  };
}

const keyOf: Readonly<Record<string, (row: CrawlRow) => number | string>> = {
  id: ({ id }) => id,
  started: ({ startedAt }) => startedAt ?? 0,
  duration: ({ startedAt, finishedAt, updatedAt }) => (startedAt === null ? 0 : (finishedAt ?? updatedAt) - startedAt),
  pages: ({ pages }) => pages,
  requests: ({ requests }) => requests,
  target: ({ target }) => target,
};

test(`filters, orders, pages and counts are those of the rows (seed ${SEED})`, () => {
  const draw = createDraw(SEED);
  const { db, rows, jobOf } = drawStore(draw);
  const jobNamed = ({ runId }: CrawlRow): string | null => (runId === null ? null : jobOf.get(runId)!);
  for (let round = 0; round < 60; round++) {
    const filter = drawFilter(draw);
    const message = JSON.stringify(filter);
    const found = rows.filter((row) => matches(row, jobNamed(row), filter));
    const sort = CRAWL_SORTS[draw(CRAWL_SORTS.length)]!;
    const isReversed = draw(2) === 0;
    const sign = (sort === 'target') === isReversed ? -1 : 1;
    const before = (a: CrawlRow, b: CrawlRow): number => {
      const [x, y] = [keyOf[sort]!(a), keyOf[sort]!(b)];
      // SQLite compares the UTF-8 bytes of texts.
      const order = typeof x === 'string' ? Buffer.compare(Buffer.from(x), Buffer.from(String(y))) : x - Number(y);
      return sign * (order || a.id - b.id);
    };
    const expected = found.toSorted(before).map(({ id }) => id);

    const ids: number[] = [];
    let after: CrawlPosition | undefined;
    do {
      const page = listCrawlIds(db, filter, { sort, isReversed, after, limit: 7 });
      ids.push(...page.ids);
      after = page.next;
    } while (after !== undefined);
    expect(ids, `${message} by ${sort}`).toEqual(expected);
    const first = listCrawls(db, { ...filter, sort, isReversed, limit: 5 });
    expect(first.crawls.map(({ id }) => id)).toEqual(expected.slice(0, 5));
    expect(first.total).toBe(expected.length);

    const facets = countFacets(groupCrawls(db, filter), filter);
    expect(facets.total).toBe(found.length);
    expect(facets.unfinished).toBe(found.filter(({ finishedAt }) => finishedAt === null).length);
    expect(facets.resumable).toBe(
      found.filter((row) => row.finishedAt !== null && !('refused' in decideResume(row))).length,
    );
    const plurals = {
      state: 'states',
      kind: 'kinds',
      reason: 'reasons',
      priority: 'priorities',
      job: 'jobs',
      run: 'runs',
    };
    for (const name of FACET_NAMES) {
      const others = rows.filter((row) => matches(row, jobNamed(row), { ...filter, [plurals[name]]: undefined }));
      const valueOf = (row: CrawlRow): unknown =>
        name === 'job' ? jobNamed(row) : name === 'run' ? row.runId?.toString() : row[name];
      for (const { value, n } of facets.facets[name])
        expect(n, `${message} ${name} ${value}`).toBe(others.filter((row) => valueOf(row) === value).length);
      // Runs are listed only for the jobs and runs that the filter names.
      if (name === 'run' && !filter.jobs) continue;
      const shown = new Set(facets.facets[name].map(({ value }) => value as unknown));
      const missing = others.filter((row) => valueOf(row) != null && !shown.has(valueOf(row)));
      expect(missing).toEqual([]);
    }
  }
});

test('a page begins after its position, also if the crawls before it have changed', () => {
  const { db } = drawStore(createDraw(1));
  const first = listCrawlIds(db, {}, { sort: 'requests', limit: 20 });
  const rest = listCrawlIds(db, {}, { sort: 'requests', after: first.next, limit: 1000 });
  db.$client.exec(`update crawls set requests = requests + 100 where id in (${first.ids.join()})`);
  expect(listCrawlIds(db, {}, { sort: 'requests', after: first.next, limit: 1000 }).ids).toEqual(rest.ids);
});
