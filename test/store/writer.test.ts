import { deepStrictEqual } from 'node:assert';
import { describe, expect, it } from 'vitest';
import { StaleLeaseError } from '#base/errors.ts';
import { toRawPage, decompressBody } from '#base/raw-bodies.ts';
import { NEW_CHECKPOINT } from '#service/kinds/checkpoint.ts';
import type { RawPage } from '#store/schema/commit-messages.ts';
import { newStore, openLeased, pageOf, progressOf, readerOf, rows, spec, tweet } from './support.ts';

describe('the identity of a crawl', () => {
  it('consists of kind, target and options while it is unfinished: an equal request joins it', async () => {
    const store = newStore();
    const [first] = await store.write.openCrawls([spec()], 1);
    const again = await store.write.openCrawls(
      [spec({ priority: 'backfill' }), spec({ target: 'esa' }), spec({ options: '{"maxPages":3}' })],
      2,
    );
    expect(again.map(({ isJoined }) => isJoined)).toEqual([true, false, false]);
    expect(again[0]!.id).toBe(first!.id);
  });

  it('is free again when the crawl has ended', async () => {
    const store = newStore();
    const { id, lease } = await openLeased(store, 2);
    await store.write.commitPage(pageOf(id, lease, 3, { end: { state: 'complete', ending: 'served' } }));
    const [second] = await store.write.openCrawls([spec()], 4);
    expect(second).toMatchObject({ isJoined: false });
    expect(store.read.unfinished().map(({ id }) => id)).toEqual([second!.id]);
  });
});

describe('one writer per crawl (invariant 3)', () => {
  it('a commit with a stale lease changes nothing', async () => {
    const store = newStore();
    const { id } = (await store.write.openCrawls([spec()], 1))[0]!;
    const old = (await store.write.takeLease(id, 2))!;
    const current = (await store.write.takeLease(id, 3))!;
    const before = dump(readerOf(store));
    const page = pageOf(id, old.leaseToken, 4, {
      rows: rows({ users: [{ restId: '1', detailLevel: 'reference' }] }),
      requests: [{ endpoint: 'followers', at: 4, status: 200, ms: 1, bytes: 2 }],
      children: [spec({ target: 'child' })],
    });
    await expect(store.write.commitPage(page)).rejects.toBeInstanceOf(StaleLeaseError);
    await expect(
      store.write.releaseLease({
        crawlId: id,
        lease: old.leaseToken,
        at: 5,
        state: 'queued',
        failures: 0,
        requests: page.requests,
      }),
    ).rejects.toBeInstanceOf(StaleLeaseError);
    deepStrictEqual(dump(readerOf(store)), before);
    await expect(store.write.commitPage({ ...page, lease: current.leaseToken })).resolves.toMatchObject({
      newItems: 1,
    });
  });

  it('a finished crawl gives no lease and accepts no commit', async () => {
    const store = newStore();
    const { id, lease } = await openLeased(store, 2);
    await store.write.commitPage(pageOf(id, lease, 3, { end: { state: 'failed', reason: 'not_found' } }));
    expect(await store.write.takeLease(id, 4)).toBeUndefined();
    await expect(store.write.commitPage(pageOf(id, lease, 5))).rejects.toBeInstanceOf(StaleLeaseError);
  });
});

describe('nothing ahead of the data (invariant 1)', () => {
  it('a page commits rows, raw body, requests, checkpoint, coverage and children together', async () => {
    const store = newStore();
    const { id, lease } = await openLeased(store, 2, { kind: 'timeline' });
    const { children } = await store.write.commitPage(
      pageOf(id, lease, 1000, {
        rows: rows({
          users: [{ restId: '7', detailLevel: 'reference', screenName: 'nasa' }],
          tweets: [tweet('70', { authorRestId: '7', hashtags: ['moon'] })],
        }),
        bodies: [
          toRawPage({
            endpoint: 'user-tweets',
            parameters: '{"restId":"7"}',
            status: 200,
            fetchedAt: 1000,
            body: Buffer.from('{"data":1}'),
          }),
        ],
        requests: [{ endpoint: 'user-tweets', at: 1000, status: 200, ms: 5, bytes: 10 }],
        progress: progressOf({ cursor: 'next', checkpoint: NEW_CHECKPOINT, targetRestId: '7', items: 1 }),
        coverage: { spans: [{ newest: { id: '70', at: 9 }, oldest: { id: '69', at: 8 }, pages: 1, items: 1 }] },
        children: [spec({ target: 'child' })],
      }),
    );
    const db = readerOf(store);
    expect(store.read.crawl(id)).toMatchObject({
      cursor: 'next',
      checkpoint: JSON.stringify(NEW_CHECKPOINT),
      targetRestId: '7',
      pages: 1,
      items: 1,
      newItems: 1,
      requests: 1,
    });
    expect(
      db
        .prepare(
          'select t.rest_id, u.screen_name, h.tag from tweets t join users u on u.id = t.author_id join tweet_hashtags h on h.tweet_id = t.id',
        )
        .all(),
    ).toEqual([{ rest_id: '70', screen_name: 'nasa', tag: 'moon' }]);
    const raw = db.prepare('select * from raw_pages').get() as RawPage;
    expect((await decompressBody(raw)).toString()).toBe('{"data":1}');
    expect(db.prepare('select target, newest_rest_id, oldest_at, pages, items, list_end from coverage').get()).toEqual({
      target: '7',
      newest_rest_id: '70',
      oldest_at: 8,
      pages: 1,
      items: 1,
      list_end: null,
    });
    expect(db.prepare('select newer_at, older_at, reason, crawl_id from gaps').all()).toEqual([
      { newer_at: 8, older_at: null, reason: 'open', crawl_id: id },
    ]);
    expect(store.read.crawlTree([id]).map((crawl) => crawl.id)).toEqual([id, ...children.map((child) => child.id)]);
  });

  it('a page that cannot be stored leaves nothing behind', async () => {
    const store = newStore();
    const { id, lease } = await openLeased(store, 2);
    const before = dump(readerOf(store));
    const unbindable = { restId: '2', detailLevel: 'reference', name: {} } as never;
    const page = pageOf(id, lease, 3, {
      rows: rows({ users: [{ restId: '1', detailLevel: 'reference' }, unbindable] }),
    });
    await expect(store.write.commitPage(page)).rejects.toThrow('SQLite3 can only bind');
    deepStrictEqual(dump(readerOf(store)), before);
  });

  it('a repeated page, as after a kill, changes only times', async () => {
    const store = newStore();
    const { id, lease } = await openLeased(store, 2);
    const users = ['1', '2', '3'].map((restId) => ({ restId, detailLevel: 'summary', name: `n${restId}` }) as const);
    const follows = [{ owner: '1', side: 'followers', members: ['2', '3'] }] as const;
    expect(await store.write.commitPage(pageOf(id, lease, 10, { rows: rows({ users, follows }) }))).toMatchObject({
      newItems: 2,
    });
    expect(await store.write.commitPage(pageOf(id, lease, 20, { rows: rows({ users, follows }) }))).toMatchObject({
      newItems: 0,
    });
    const db = readerOf(store);
    expect(db.prepare('select count(*) n, min(first_seen_at) f, max(last_seen_at) l from follows').get()).toEqual({
      n: 2,
      f: 10,
      l: 20,
    });
    expect(db.prepare('select count(*) n from user_history').get()).toEqual({ n: 0 });
  });
});

/** Every row of every table. */
function dump(db: ReturnType<typeof readerOf>): unknown {
  const tables = db
    .prepare("select name from sqlite_master where type = 'table' and name not like '%fts%' order by 1")
    .pluck()
    .all() as string[];
  return tables.map((name) => [name, db.prepare(`select * from "${name}"`).all()]);
}
