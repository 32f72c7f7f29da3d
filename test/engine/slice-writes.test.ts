import { expect, it } from 'vitest';
import { systemClock } from '#base/clock.ts';
import { StaleLeaseError } from '#base/errors.ts';
import { createSliceWrites } from '#crawl/slice/slice-writes.ts';
import { newStore, openLeased, pageOf, progressOf, readerOf, rows } from '../store/support.ts';

it('a page that was requested again is not stored after the first one was lost (invariant 1)', async () => {
  const store = newStore();
  const { id, lease } = await openLeased(store, 1);
  const { unstored, commitPage, flush } = createSliceWrites({
    store,
    clock: systemClock,
    announceCrawls: () => undefined,
  });
  const request = { endpoint: 'user-tweets', at: 1, status: 200, ms: 1, bytes: 1 };
  const page = (user: string, lost: object = {}) =>
    pageOf(id, lease, 1, {
      requestCursor: null,
      rows: rows({ users: [{ restId: user, detailLevel: 'reference' }] }),
      requests: [{ ...request, ...lost }],
      progress: progressOf({ cursor: null }),
    });
  // Nothing waits between the two: a crawl requests the next page while one is being stored.
  const first = commitPage(page('1', { endpoint: null }));
  const second = commitPage(page('2'));
  await first;
  await expect(second).rejects.toThrow('NOT NULL');
  await expect(flush()).rejects.toThrow('NOT NULL');
  expect(readerOf(store).prepare('select rest_id from users').all()).toEqual([]);
  expect(unstored.size).toBe(2);
});

it('a page after a lost one fails with the error of the lost one, also if its own error comes first', async () => {
  const store = newStore();
  let lose!: (error: Error) => void;
  const stale = Promise.reject(new StaleLeaseError('the lease of crawl 1 is stale'));
  const replies = [new Promise<never>((_, reject) => (lose = reject)), stale];
  const { commitPage, flush } = createSliceWrites({
    store: { ...store, write: { ...store.write, commitPage: () => replies.shift()! } },
    clock: systemClock,
    announceCrawls: () => undefined,
  });
  void commitPage(pageOf(1, 1, 1, { requestCursor: null }));
  const second = commitPage(pageOf(1, 1, 2, { requestCursor: 'A' }));
  await Promise.allSettled([stale]);
  lose(new TypeError('NOT NULL'));
  await expect(second).rejects.toThrow('NOT NULL');
  await expect(flush()).rejects.toThrow('NOT NULL');
});
