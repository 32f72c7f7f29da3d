import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readCatalogue } from '#analysis/queries/catalogue.ts';
import { createScheduleEntry, type Job } from '#crawl/jobs/job.ts';
import { openSnapshot } from '#files/export/snapshot.ts';
import { readJobReport, type ReportedJob } from '#files/report/job-report.ts';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import type { CrawlEnd } from '#service/kinds/decide-end.ts';
import type { PageRows } from '#store/schema/normalised-rows.ts';
import { newStore, pageOf, progressOf, readerOf, rows, spec, tweet, user } from '../store/support.ts';

const COMPLETE: CrawlEnd = { state: 'complete', ending: 'served' };
const FAILED: CrawlEnd = { state: 'failed', reason: 'unreachable' };
const NIGHTLY: Job = {
  name: 'nightly',
  schedule: { every: 60_000 },
  kind: 'followers',
  targets: { list: ['ann'] },
  priority: 'backfill',
  options: {},
};
const catalogue = readCatalogue([join(resolve(import.meta.dirname, '../..'), 'queries')]);

/** A store with runs of the job `nightly`. */
function createJobStore() {
  const store = newStore();
  const { write } = store;
  let at = 1000;
  return {
    store,
    /** Crawls a target in a run of its own. */
    async crawl(
      more: Partial<CrawlSpec>,
      end: CrawlEnd,
      restId: string | null = null,
      page: Partial<PageRows> = {},
    ): Promise<number> {
      at += 1000;
      await write.setSchedule([createScheduleEntry(NIGHTLY)], at);
      const [opened] = (await write.openScheduledRun({
        name: 'nightly',
        slot: at,
        at,
        specs: [spec(more)],
        problem: null,
      }))!;
      const { id } = opened!;
      const { leaseToken: lease, targetRestId } = (await write.takeLease(id, at))!;
      const pages = end === FAILED ? 0 : 1;
      const users = restId === null ? [] : [user(restId, { screenName: more.handle })];
      const progress = progressOf({ pages, targetRestId: restId ?? targetRestId });
      await write.commitPage(pageOf(id, lease, at, { rows: rows({ users, ...page }), progress, end }));
      return id;
    },
    report() {
      using snapshot = openSnapshot(store.path);
      const { data } = readJobReport(snapshot, 'nightly', { catalogue } as Parameters<typeof readJobReport>[2])!;
      const { job, answers } = data as {
        job: ReportedJob & { targets: number; successfulTargets: number };
        answers: readonly { readonly name: string; readonly rows: readonly unknown[] }[];
      };
      const lists = answers.find(({ name }) => name === 'job-targets')!.rows.length;
      return { targets: job.targets, successful: job.successfulTargets, lists };
    },
  };
}

test('a crawl by id has the id of its account from the start, of any kind with accounts as targets', async () => {
  const store = newStore();
  const idOf = async (more: Partial<CrawlSpec>) => {
    const [opened] = await store.write.openCrawls([spec(more)], 1);
    return readerOf(store).prepare('select target_rest_id from crawls where id = ?').pluck().get(opened!.id);
  };
  for (const kind of ['profile', 'timeline', 'replies', 'followers', 'following'])
    expect(await idOf({ kind, target: 'id:7' }), kind).toBe('7');
  expect(await idOf({ target: 'ann' })).toBeNull();
  expect(await idOf({ target: '@id:7' })).toBeNull();
  expect(await idOf({ kind: 'search', target: 'id:7' })).toBeNull();
});

test('a target is counted once, by handle and by id, also if a crawl ended before its first page', async () => {
  const { store, crawl, report } = createJobStore();
  await crawl({ target: 'ann', handle: 'Ann' }, COMPLETE, '7');
  await crawl({ target: 'id:7', handle: 'Ann' }, FAILED);
  expect(report()).toEqual({ targets: 1, successful: 0, lists: 1 });
  await crawl({ target: 'id:7', handle: 'Ann' }, COMPLETE, '7');
  expect(report()).toEqual({ targets: 1, successful: 1, lists: 1 });
  expect(readerOf(store).prepare("select count(*) from v_completeness where kind = 'followers'").pluck().get()).toBe(1);
});

test('a handle that failed before the service showed an id is the account of its other crawls, or of its holder', async () => {
  const { crawl, report } = createJobStore();
  await crawl({ target: 'ann', handle: 'ANN' }, FAILED);
  await crawl({ target: 'ben', handle: 'ben' }, FAILED);
  expect(report()).toEqual({ targets: 2, successful: 0, lists: 2 });
  await crawl({ target: 'ann', handle: 'ann' }, COMPLETE, '7');
  await crawl({ target: 'id:8' }, COMPLETE, '8');
  expect(report()).toEqual({ targets: 3, successful: 2, lists: 3 });
  await crawl({ kind: 'profile', target: 'id:8', handle: 'Ben' }, COMPLETE, '8');
  // Two lists of id 8, which has the handle ben, and one of id 7.
  expect(report()).toEqual({ targets: 3, successful: 3, lists: 3 });
});

test('targets that are no accounts are counted by themselves', async () => {
  const { crawl, report } = createJobStore();
  await crawl({ kind: 'search', target: 'id:7' }, COMPLETE);
  await crawl({ kind: 'tweet', target: '7' }, COMPLETE);
  await crawl({ kind: 'tweet', target: '7' }, FAILED);
  await crawl({ target: 'id:7' }, COMPLETE);
  expect(report()).toEqual({ targets: 3, successful: 2, lists: 3 });
});

test('a timeline, which has no replies, is not compared with the number of tweets, which has', async () => {
  const { store, crawl } = createJobStore();
  const users = [
    user('7', { detailLevel: 'profile', screenName: 'ann', statusesCount: 42, followersCount: 3, followingCount: 2 }),
  ];
  const original = tweet('1', { authorRestId: '7' });
  const reply = tweet('2', { authorRestId: '7' });
  await crawl({ kind: 'profile', target: 'id:7' }, COMPLETE, '7', { users });
  await crawl({ kind: 'timeline', target: 'id:7' }, COMPLETE, '7', { users, tweets: [original] });
  await crawl({ kind: 'replies', target: 'id:7' }, COMPLETE, '7', { users, tweets: [original, reply] });
  await crawl({ kind: 'followers', target: 'id:7' }, COMPLETE, '7', { users });
  await crawl({ kind: 'following', target: 'id:7' }, COMPLETE, '7', { users });
  using snapshot = openSnapshot(store.path);
  const { data } = readJobReport(snapshot, 'nightly', { catalogue } as Parameters<typeof readJobReport>[2])!;
  const { columns, rows: found } = (
    data as { answers: { name: string; columns: string[]; rows: unknown[][] }[] }
  ).answers.find(({ name }) => name === 'job-targets')!;
  const counts = found.map((row) => ['kind', 'stored', 'reported'].map((name) => row[columns.indexOf(name)]));
  expect(counts).toEqual([
    ['followers', 0, 3],
    ['following', 0, 2],
    ['profile', null, null],
    ['replies', 2, 42],
    ['timeline', 1, null],
  ]);
  expect(counts).toEqual(
    readerOf(store).prepare('select kind, stored, reported from v_completeness order by kind').raw().all(),
  );
});
