import { describe, expect, it } from 'vitest';
import { DAY } from '#base/clock.ts';
import { formatDay } from '#base/units.ts';
import type { Store } from '#store/store.ts';
import { newStore, pageOf, readerOf, spec } from './support.ts';

const NOON = Date.UTC(2026, 0, 5, 12);
const sent = (at: number) => ({ endpoint: 'followers', at, status: 200, ms: 1, bytes: 1 });

/** A crawl of a run, under a lease with eight requests in flight. */
async function leased(store: Store) {
  const runId = await store.write.createRun(NOON, { perRun: 100 });
  const [{ id } = { id: 0 }] = await store.write.openCrawls([spec({ runId })], NOON);
  const { leaseToken: lease } = (await store.write.takeLease(id, NOON, 8))!;
  return { id, lease, runId };
}

const of = (store: Store, id: number) => {
  const { inFlightRequests, unknownRequests, requests } = store.read.crawl(id)!;
  return { inFlightRequests, unknownRequests, requests };
};
const days = (store: Store) =>
  readerOf(store).prepare('select day, requests, unknown_requests from _run_usage_by_day order by 1').all();

describe('requests in flight', () => {
  it('are written with the lease and remain while pages are stored', async () => {
    const store = newStore();
    const { id, lease } = await leased(store);
    expect(of(store, id)).toEqual({ inFlightRequests: 8, unknownRequests: 0, requests: 0 });
    await store.write.commitPage(pageOf(id, lease, NOON, { requests: [sent(NOON)] }));
    expect(of(store, id)).toEqual({ inFlightRequests: 8, unknownRequests: 0, requests: 1 });
  });

  it('of a killed worker become unknown with the next lease, on its day', async () => {
    const store = newStore();
    const { id } = await leased(store);
    await store.write.takeLease(id, NOON + DAY, 6);
    expect(of(store, id)).toEqual({ inFlightRequests: 6, unknownRequests: 8, requests: 0 });
    await store.write.takeLease(id, NOON + DAY, 6);
    expect(of(store, id)).toEqual({ inFlightRequests: 6, unknownRequests: 14, requests: 0 });
    expect(days(store)).toEqual([{ day: formatDay(NOON + DAY), requests: 0, unknown_requests: 14 }]);
  });

  it('are none when the crawl was released, has ended, or its worker has reported', async () => {
    const store = newStore();
    const { id, lease } = await leased(store);
    await store.write.releaseLease({
      crawlId: id,
      lease,
      at: NOON,
      state: 'queued',
      failures: 0,
      requests: [sent(NOON)],
    });
    expect(of(store, id)).toEqual({ inFlightRequests: 0, unknownRequests: 0, requests: 1 });
    const second = (await store.write.takeLease(id, NOON, 8))!;
    expect(of(store, id).unknownRequests).toBe(0);
    await store.write.recordRequests(id, second.leaseToken, [sent(NOON)]);
    expect(of(store, id)).toEqual({ inFlightRequests: 0, unknownRequests: 0, requests: 2 });
    const third = (await store.write.takeLease(id, NOON, 8))!;
    await store.write.commitPage(pageOf(id, third.leaseToken, NOON, { end: { state: 'complete' } }));
    expect(of(store, id)).toEqual({ inFlightRequests: 0, unknownRequests: 0, requests: 2 });
    expect(days(store)).toEqual([{ day: formatDay(NOON), requests: 2, unknown_requests: 0 }]);
  });

  it('of a cancelled crawl remain until its worker reports, and become unknown when it is resumed', async () => {
    const store = newStore();
    const { id, lease } = await leased(store);
    await store.write.cancelCrawls([id], NOON);
    expect(of(store, id)).toMatchObject({ inFlightRequests: 8 });
    await store.write.recordRequests(id, lease, [sent(NOON), sent(NOON)]);
    expect(of(store, id)).toEqual({ inFlightRequests: 0, unknownRequests: 0, requests: 2 });

    const other = await leased(store);
    await store.write.cancelCrawls([other.id], NOON);
    await store.write.resumeCrawls([{ id: other.id, options: '{}', runId: other.runId }], NOON);
    await store.write.takeLease(other.id, NOON, 8);
    expect(of(store, other.id)).toEqual({ inFlightRequests: 8, unknownRequests: 8, requests: 0 });
  });

  it('of the newest lease are not affected by the report of an earlier one', async () => {
    const store = newStore();
    const { id, lease } = await leased(store);
    await store.write.takeLease(id, NOON, 6);
    await store.write.recordRequests(id, lease, [sent(NOON)]);
    // Known by now, and still counted as unknown: at most, never below.
    expect(of(store, id)).toEqual({ inFlightRequests: 6, unknownRequests: 8, requests: 1 });
  });
});
