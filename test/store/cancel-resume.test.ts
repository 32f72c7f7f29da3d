import { describe, expect, it } from 'vitest';
import { StaleLeaseError } from '#base/errors.ts';
import { NEW_CHECKPOINT } from '#service/kinds/checkpoint.ts';
import type { Store } from '#store/store.ts';
import { newStore, openLeased, pageOf, progressOf, readerOf, spec } from './support.ts';

const covered = { spans: [{ newest: { id: '9', at: 9000 }, oldest: { id: '5', at: 5000 }, pages: 1, items: 1 }] };

/** A crawl on its way, with one page stored. */
async function begin(store: Store, more: Partial<Parameters<typeof spec>[0]> = {}, page = {}) {
  const { id, lease } = await openLeased(store, 2, more);
  const progress = progressOf({ cursor: 'A', checkpoint: NEW_CHECKPOINT, targetRestId: '1', items: 5 });
  const { children } = await store.write.commitPage(pageOf(id, lease, 3, { progress, coverage: covered, ...page }));
  return { id, lease, children: children.map((child) => child.id) };
}

const stateOf = (store: Store, id: number) => store.read.crawl(id)!.state;
const gapOf = (store: Store, id: number) =>
  readerOf(store).prepare('select reason from gaps where crawl_id = ?').pluck().get(id);

describe('cancelling', () => {
  it('ends a crawl, keeps its checkpoint, and marks its coverage', async () => {
    const store = newStore();
    const { id } = await begin(store);
    expect(await store.write.cancelCrawls([id], 10)).toEqual([id]);
    expect(store.read.crawl(id)).toMatchObject({ state: 'cancelled', finishedAt: 10, cursor: 'A', pages: 1 });
    expect(gapOf(store, id)).toBe('interrupted');
    expect(await store.write.cancelCrawls([id, 99], 11)).toEqual([]);
    expect(store.read.crawl(id)).toMatchObject({ finishedAt: 10 });
  });

  it('prevents further commits of its worker (invariant 3)', async () => {
    const store = newStore();
    const { id, lease } = await begin(store);
    await store.write.cancelCrawls([id], 10);
    await expect(store.write.commitPage(pageOf(id, lease, 11))).rejects.toBeInstanceOf(StaleLeaseError);
    expect(await store.write.takeLease(id, 12)).toBeUndefined();
  });

  it('includes unfinished child crawls', async () => {
    const store = newStore();
    const { id, children } = await begin(store, {}, { children: [spec({ target: 'a' }), spec({ target: 'b' })] });
    const [a, b] = children as [number, number];
    const { leaseToken: lease } = (await store.write.takeLease(a, 4))!;
    await store.write.commitPage(pageOf(a, lease, 5, { end: { state: 'complete', ending: 'served' } }));
    expect(await store.write.cancelCrawls([id], 10)).toEqual([id, b]);
    expect([a, b].map((child) => stateOf(store, child))).toEqual(['complete', 'cancelled']);
  });

  it('spares crawls that another tree or a user requested, too', async () => {
    const store = newStore();
    const [asked] = await store.write.openCrawls([spec({ target: 'asked' })], 1);
    const both = { children: [spec({ target: 'shared' }), spec({ target: 'asked' })] };
    const one = await begin(store, { target: 'one' }, both);
    const two = await begin(store, { target: 'two' }, both);
    const [shared] = one.children as [number];
    expect(two.children).toEqual([shared, asked!.id]);
    expect(await store.write.cancelCrawls([one.id], 10)).toEqual([one.id]);
    expect(await store.write.cancelCrawls([one.id, two.id], 11)).toEqual([shared, two.id].toSorted((a, b) => a - b));
    expect(stateOf(store, asked!.id)).toBe('queued');
  });

  it('frees the identity: the same crawl can be requested again', async () => {
    const store = newStore();
    const { id } = await begin(store);
    await store.write.cancelCrawls([id], 10);
    expect((await store.write.openCrawls([spec()], 11))[0]).toMatchObject({ isJoined: false });
  });
});

describe('resuming', () => {
  it('reopens a crawl at its checkpoint without its end state', async () => {
    const store = newStore();
    const { id, lease } = await begin(store);
    const end = { state: 'failed', reason: 'unreachable', error: 'it was down' } as const;
    const progress = progressOf({ cursor: 'A', checkpoint: NEW_CHECKPOINT, targetRestId: '1', pages: 0 });
    await store.write.commitPage(pageOf(id, lease, 5, { requestCursor: 'A', progress, end }));
    expect(gapOf(store, id)).toBe('interrupted');

    expect(await store.write.resumeCrawls([{ id, options: '{}' }], 10)).toEqual([{ id, isJoined: false }]);
    expect(store.read.crawl(id)).toMatchObject({
      state: 'queued',
      reason: null,
      ending: null,
      error: null,
      finishedAt: null,
      lockedBy: null,
      consecutiveFailures: 0,
      cursor: 'A',
      checkpoint: JSON.stringify(NEW_CHECKPOINT),
      targetRestId: '1',
      pages: 1,
      items: 5,
    });
    expect(gapOf(store, id)).toBe('open');
  });

  it('a lease from before the end commits nothing (invariant 3)', async () => {
    const store = newStore();
    const { id, lease } = await begin(store);
    await store.write.cancelCrawls([id], 10);
    await store.write.resumeCrawls([{ id, options: '{}' }], 11);
    await expect(store.write.commitPage(pageOf(id, lease, 12))).rejects.toBeInstanceOf(StaleLeaseError);
    const again = (await store.write.takeLease(id, 13))!;
    await expect(
      store.write.commitPage(pageOf(id, again.leaseToken, 14, { requestCursor: 'A' })),
    ).resolves.toBeDefined();
  });

  it('never creates two unfinished crawls of one identity: the existing one is used', async () => {
    const store = newStore();
    const { id } = await begin(store, { options: '{"maxPages":1}' });
    await store.write.cancelCrawls([id], 10);
    const [newer] = await store.write.openCrawls([spec()], 11);
    // Without its limit it would be the same as the newer one.
    expect(await store.write.resumeCrawls([{ id, options: '{}' }], 12)).toEqual([{ id: newer!.id, isJoined: true }]);
    expect(stateOf(store, id)).toBe('cancelled');
    expect(await store.write.resumeCrawls([{ id, options: '{"maxPages":7}' }], 13)).toEqual([{ id, isJoined: false }]);
    expect(store.read.crawl(id)).toMatchObject({ state: 'queued', options: '{"maxPages":7}' });
  });

  it('does not change an unfinished crawl, and skips one that does not exist', async () => {
    const store = newStore();
    const { id } = await begin(store);
    const before = store.read.crawl(id);
    expect(
      await store.write.resumeCrawls(
        [
          { id, options: '{}' },
          { id: 99, options: '{}' },
        ],
        10,
      ),
    ).toEqual([{ id, isJoined: true }]);
    expect(store.read.crawl(id)).toEqual(before);
  });
});
