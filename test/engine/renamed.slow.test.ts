import { expect, test } from 'vitest';
import { createScheduleEntry, type Job, createJobCrawls } from '#crawl/jobs/job.ts';
import { runSlice } from '#crawl/slice/slice.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import { readerOf } from '../store/support.ts';
import { crawlAgainst, followers, GONE, profile, reference, timeline } from './support.ts';

/** A service whose accounts are renamed: handles by ids, which a test changes. */
async function withAccounts(handles: Record<string, string>) {
  const idOf = (handle: string) => Object.keys(handles).find((id) => handles[id] === handle);
  const service = await crawlAgainst({
    'user-profile': ({ screenName = '' }) => {
      const id = idOf(screenName);
      return id === undefined ? GONE : profile(id, screenName);
    },
    'user-tweets': ({ restId = '' }) =>
      handles[restId] === undefined ? GONE : timeline(reference(restId, handles[restId]), [`${restId}1@1`], null),
    followers: ({ restId = '' }) =>
      handles[restId] === undefined ? GONE : followers(reference(restId, handles[restId]), [], null),
  });
  return { ...service, handles };
}

const JOB = { name: 'panel', schedule: { every: 1 }, priority: 'scheduled', options: {} } as const;
const KINDS = ['timeline', 'profile', 'followers'] as const;
/** A crawl that succeeded, of the account with an id. */
const successOf = (targetRestId: string) => ({ state: expect.stringMatching(/complete|capped/), targetRestId });

/** Runs a job's slots one after the other, as a worker does. */
async function withJob(
  kind: Job['kind'],
  targets: readonly string[],
  service: Awaited<ReturnType<typeof withAccounts>>,
) {
  const { store, ports } = service;
  const never = new AbortController().signal;
  const job: Job = { ...JOB, kind, targets: { list: targets } };
  await store.write.setSchedule([createScheduleEntry(job)], 0);
  let slot = 0;
  return async (): Promise<CrawlRow[]> => {
    const known = { unfinished: store.read.unfinished(), accounts: store.read.jobAccounts(job.name) };
    const { specs } = createJobCrawls(job, targets, Date.now(), known);
    slot += 1;
    const run = { name: job.name, slot, at: Date.now(), specs, problem: null };
    const opened = (await store.write.openScheduledRun(run))!;
    for (const { id } of opened)
      for (let next = 'again'; next === 'again';) ({ next } = await runSlice(id, ports, { stop: never, abort: never }));
    return store.read.crawls(opened.map(({ id }) => id));
  };
}

test.each(KINDS)(
  'a job of %s follows its account through a rename, even if another account takes the handle',
  async (kind) => {
    const service = await withAccounts({ 1: 'anna', 2: 'bob' });
    const run = await withJob(kind, ['@anna'], service);
    expect((await run())[0]).toMatchObject(successOf('1'));

    service.handles['1'] = 'annab';
    for (let n = 0; n < 3; n++) expect((await run())[0]).toMatchObject(successOf('1'));

    service.handles['2'] = 'anna';
    for (let n = 0; n < 2; n++) expect((await run())[0]).toMatchObject(successOf('1'));
    const shown = service.store.read.userById('1');
    expect(shown?.screenName).toBe('annab');
    // Whoever took the handle is known as well: it was looked up.
    expect(service.store.read.userByHandle('anna')?.restId).toBe('2');
  },
);

test('a job without a success means the current holder of the handle', async () => {
  const service = await withAccounts({});
  const run = await withJob('timeline', ['anna'], service);
  expect((await run())[0]).toMatchObject({ state: 'failed', reason: 'not_found' });
  service.handles['1'] = 'anna';
  expect((await run())[0]).toMatchObject({ targetRestId: '1' });
  service.handles['1'] = 'annab';
  service.handles['2'] = 'anna';
  expect((await run())[0]).toMatchObject({ target: 'id:1', targetRestId: '1' });
});

test('a job that is removed and added again means the holder of the handle at that time', async () => {
  const service = await withAccounts({ 1: 'anna' });
  const run = await withJob('timeline', ['anna'], service);
  await run();
  await service.store.write.setSchedule([], 1);
  service.handles['1'] = 'annab';
  service.handles['2'] = 'anna';
  const again = await withJob('timeline', ['anna'], service);
  expect((await again())[0]).toMatchObject({ target: 'anna', targetRestId: '2' });
});

test.each(KINDS)('a crawl of %s follows a renamed account while nobody has its former handle', async (kind) => {
  const { run, handles } = await withAccounts({ 1: 'anna' });
  await run(kind, 'anna');
  handles['1'] = 'annab';
  for (let n = 0; n < 3; n++) expect((await run(kind, 'anna')).crawl).toMatchObject(successOf('1'));
});

test.each(KINDS)(
  'a crawl of %s means the current holder of the handle, even if the former account is gone',
  async (kind) => {
    const { run, handles } = await withAccounts({ 1: 'anna' });
    await run(kind, 'anna');
    delete handles['1'];
    handles['2'] = 'anna';
    for (let n = 0; n < 2; n++) expect((await run(kind, 'anna')).crawl).toMatchObject(successOf('2'));
  },
);

test('a former handle of several accounts means none of them', async () => {
  const { run, handles } = await withAccounts({ 1: 'anna', 2: 'bob' });
  await run('profile', 'id:1');
  handles['1'] = 'a1';
  await run('profile', 'id:1');
  handles['2'] = 'anna';
  await run('profile', 'id:2');
  handles['2'] = 'a2';
  await run('profile', 'id:2');
  expect((await run('timeline', 'anna')).crawl).toMatchObject({ state: 'failed', reason: 'not_found', requests: 1 });
});

test('a renamed account that is gone does not count as one without tweets', async () => {
  const { run, handles } = await withAccounts({ 1: 'anna' });
  await run('timeline', 'anna');
  handles['1'] = 'annab';
  await run('timeline', 'anna');
  delete handles['1'];
  expect((await run('timeline', 'anna')).crawl).toMatchObject({ state: 'failed', reason: 'not_found' });
});

test('new followers of the account that had a handle before are none of its new holder', async () => {
  const handles: Record<string, string> = { 1: 'anna', 2: 'bob' };
  const members: Record<string, string[]> = { 1: ['7'], 2: [] };
  const { run, store } = await crawlAgainst({
    'user-profile': ({ screenName = '' }) => {
      const id = Object.keys(handles).find((each) => handles[each] === screenName)!;
      return profile(id, screenName, 0, { followers: members[id]!.length });
    },
    followers: ({ restId = '' }) =>
      followers(
        reference(restId, handles[restId]!),
        members[restId]!.map((id) => reference(id, `user${id}`)),
        null,
      ),
  });
  for (const target of ['id:1', 'bob']) await run('followers', target);
  members['1'] = [];
  await run('followers', 'id:1');
  handles['1'] = 'bob';
  handles['2'] = 'bobb';
  members['2'] = ['8'];
  expect((await run('followers', 'bob')).crawl).toMatchObject({ targetRestId: '1', items: 0, newItems: 0 });
  const ends = 'select ended_at is not null from follows f join users u on u.id = f.followee_id where u.rest_id = ?';
  // Two lists in a row lack the follower.
  expect(readerOf(store).prepare(ends).pluck().all('1')).toEqual([1]);
  expect(readerOf(store).prepare(ends).pluck().all('2')).toEqual([0]);
});

test('new tweets of the account that had a handle before are not counted as those of its new holder', async () => {
  const { run, handles, store } = await withAccounts({ 1: 'anna', 2: 'bob' });
  await run('profile', 'bob');
  handles['1'] = 'bob';
  handles['2'] = 'bobb';
  expect((await run('timeline', 'bob')).crawl).toMatchObject({ targetRestId: '1', items: 1, newItems: 1 });
  // They are stored.
  expect(readerOf(store).prepare('select count(*) from tweets').pluck().get()).toBe(2);
});
