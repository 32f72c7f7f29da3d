import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { InvariantError, StoreError } from '#base/errors.ts';
import { decompressBody, hashBody, type StoredBody } from '#base/raw-bodies.ts';
import { fingerprint } from '#store/normalise/parse-page.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import type { PageToStage, StagedPage } from '#store/staging/staging-messages.ts';
import { openStore, type Store } from '#store/store.ts';
import { openLeased, pageOf, progressOf, readerOf } from '../store/support.ts';
import { tempFile } from '../support/temp.ts';

const NASA = { id: '1', rest_id: '1', name: 'NASA', screen_name: 'nasa' };
const user = (id: string) => ({ id, rest_id: id, name: `n${id}`, screen_name: `s${id}`, followers_count: 5 });

/** A page of followers (spec, Endpoints, 6). */
const bodyOf = (ids: readonly string[], cursor?: string): Uint8Array => {
  const entries = ids.map((id) => ({ entryId: `user-${id}`, sortIndex: id, content: { user: user(id) } }));
  const next = cursor === undefined ? {} : { cursor: { value: cursor, cursorType: 'Bottom' } };
  const text = JSON.stringify({
    data: { user: NASA, followers: { timeline: { instructions: [{ entries, ...next }] } } },
  });
  return ownBuffer(Buffer.from(text));
};
/** A copy that owns its memory, as the client provides it. */
const ownBuffer = (bytes: Buffer): Uint8Array => new Uint8Array(bytes);

async function openStaging() {
  const store = openStore(tempFile('store.db'), { threaded: true });
  onTestFinished(() => store[Symbol.asyncDispose]());
  const staging = store.staging!;
  const { id: crawlId, lease } = await openLeased(store, 2);
  const pageToStage = (body: Uint8Array, more: Partial<PageToStage> = {}): PageToStage => ({
    crawlId,
    lease,
    requestCursor: null,
    request: {
      endpoint: 'followers',
      value: '1',
    },
    body,
    gzip: undefined,
    head: {
      status: 200,
      headers: '{}',
    },
    isKept: true,
    ...more,
  });
  async function stage(body: Uint8Array, more?: Partial<PageToStage>): Promise<StagedPage> {
    const reply = await staging.stagePage(pageToStage(body, more));
    if (reply.is !== 'staged') throw new Error('the page came back');
    return reply;
  }
  return { store, staging, crawlId, lease, pageToStage, stage };
}

/** The commit of a staged page, as a crawl sends it. */
const commitOf = (crawlId: number, lease: number, { stagedId, summary, rejectedCount }: StagedPage) => ({
  ...pageOf(crawlId, lease, 3, { progress: progressOf({ items: summary.itemIds.length }) }),
  endpoints: ['followers'],
  responseIndex: 0,
  rows: { stagedId, rejectedCount, fingerprint: fingerprint(summary) },
  bodies: [{ endpoint: 'followers', parameters: '{}', status: 200, fetchedAt: 3, body: { stagedId } }],
});

const count = (store: Store, table: string): unknown =>
  readerOf(store).prepare(`select count(*) from ${table}`).pluck().get();

describe('a page that is parsed by the writer thread', () => {
  it('moves there, and only its summary comes back', async () => {
    const { stage } = await openStaging();
    const body = bodyOf(['2', '3'], 'A');
    const hash = hashBody(body);
    const { summary, rejectedCount, bodyHash } = await stage(body);
    expect(body.byteLength).toBe(0);
    expect({ rejectedCount, bodyHash }).toEqual({ rejectedCount: 0, bodyHash: hash });
    expect(summary).toMatchObject({
      itemIds: ['2', '3'],
      accounts: ['2', '3'],
      servedCount: 2,
      cursor: {
        type: 'next',
        value: 'A',
      },
      owner: {
        restId: '1',
        screenName: 'nasa',
      },
    });
    expect(summary).not.toHaveProperty('rows');
  });

  it.each(['br', 'gzip'] as const)('is stored with its rows and its body (%s)', async (encoding) => {
    const { store, stage, crawlId, lease } = await openStaging();
    const body = bodyOf(['2', '3']);
    const [served, gzip] = [Buffer.from(body), encoding === 'gzip' ? ownBuffer(gzipSync(body)) : undefined];
    const arrived = gzip && Buffer.from(gzip);
    const staged = await stage(body, { gzip });
    const result = await store.write.commitPage(commitOf(crawlId, lease, staged));
    expect(result).toMatchObject({ newItems: 2, rowCounts: { users: 3, tweets: 0, follows: 2, rejects: 0 } });
    const raw = readerOf(store).prepare('select * from raw_pages').get() as StoredBody & { hash: string };
    expect(raw).toMatchObject({ encoding, hash: hashBody(served) });
    expect((await decompressBody(raw)).equals(served)).toBe(true);
    expect(arrived === undefined || arrived.equals(raw.body)).toBe(true);
    const edges = 'select b.rest_id from follows f join users b on b.id = f.follower_id order by 1';
    expect(readerOf(store).prepare(edges).pluck().all()).toEqual(['2', '3']);
  });

  it.each([
    ['no JSON', '<html>'],
    ['JSON in another form', '{"data":{"followers":{}}}'],
    ['cut JSON', '{"data":'],
    ['nothing', ''],
  ])('comes back unchanged if it cannot be parsed: %s', async (_, text) => {
    const { staging, pageToStage } = await openStaging();
    const gzip = ownBuffer(gzipSync(text));
    const reply = await staging.stagePage(pageToStage(ownBuffer(Buffer.from(text)), { gzip }));
    expect(reply).toEqual({
      is: 'unreadable',
      body: new Uint8Array(Buffer.from(text)),
      gzip: new Uint8Array(gzipSync(text)),
    });
  });
});

describe('a page that arrives while a group of calls is stored', () => {
  it('is parsed before the next call of the group', async () => {
    const { store, stage, crawlId } = await openStaging();
    const settled: string[] = [];
    const other = openDatabase(store.path);
    onTestFinished(() => void other.$client.close());
    other.$client.exec('begin immediate');
    const calls = ['first', 'second'].map(async (name) => {
      await store.write.setSoftLock({ owner: name, until: 9 });
      settled.push(name);
    });
    // The thread answers this just before it begins the group, or it has begun and waits for the lock.
    const first = stage(bodyOf(['2'], 'A'));
    await Promise.race([first, setTimeout(200)]);
    const staged = stage(bodyOf(['3']), { crawlId, requestCursor: 'A' }).then(() => settled.push('staged'));
    other.$client.exec('rollback');
    await Promise.all([...calls, first, staged]);
    // The first call may have been a group of its own.
    expect(settled.filter((name) => name !== 'first')).toEqual(['staged', 'second']);
  });
});

describe('a commit stores a staged page only if it is the page that the crawl decided by', () => {
  it.each<[string, (commit: ReturnType<typeof commitOf>, other: StagedPage) => object]>([
    ['another summary', (commit, { summary }) => ({ rows: { ...commit.rows, fingerprint: fingerprint(summary) } })],
    ['a page of another request', (commit, { stagedId }) => ({ rows: { ...commit.rows, stagedId } })],
    [
      'the body of another request',
      (commit, { stagedId }) => ({ bodies: [{ ...commit.bodies[0]!, body: { stagedId } }] }),
    ],
  ])('%s is a bug, and nothing is stored', async (_, change) => {
    const { store, stage, crawlId, lease } = await openStaging();
    const [first, second] = [await stage(bodyOf(['2'], 'A')), await stage(bodyOf(['3'], 'B'), { requestCursor: 'A' })];
    const commit = commitOf(crawlId, lease, first);
    const wrong = { ...commit, ...change(commit, second) };
    await expect(store.write.commitPage(wrong)).rejects.toBeInstanceOf(InvariantError);
    expect([count(store, 'users'), count(store, 'raw_pages'), count(store, '_steps')]).toEqual([0, 0, 0]);
  });

  it('a page of another crawl is a bug, too', async () => {
    const { store, stage, crawlId, lease } = await openStaging();
    const other = await openLeased(store, 2, { target: 'esa' });
    const staged = await stage(bodyOf(['2']), { crawlId: other.id, lease: other.lease });
    await expect(store.write.commitPage(commitOf(crawlId, lease, staged))).rejects.toBeInstanceOf(InvariantError);
  });

  it('a page is stored once; a discarded or lost page must be fetched again', async () => {
    const { store, staging, stage, crawlId, lease } = await openStaging();
    const commit = commitOf(crawlId, lease, await stage(bodyOf(['2'])));
    await store.write.commitPage(commit);
    await expect(store.write.commitPage(commit)).rejects.toBeInstanceOf(StoreError);
    const discarded = commitOf(crawlId, lease, await stage(bodyOf(['3'])));
    staging.discardPages({ crawlId, lease });
    await expect(store.write.commitPage(discarded)).rejects.toMatchObject({ failure: 'unavailable' });
    expect([count(store, 'follows'), count(store, '_steps')]).toEqual([1, 1]);
  });

  it('a failed commit drops its page, and pages of other leases stay', async () => {
    const { store, staging, stage, crawlId, lease } = await openStaging();
    const other = await openLeased(store, 2, { target: 'esa' });
    const kept = await stage(bodyOf(['2']), { crawlId: other.id, lease: other.lease });
    const stale = commitOf(crawlId, lease + 1, await stage(bodyOf(['3']), { lease: lease + 1 }));
    await expect(store.write.commitPage(stale)).rejects.toMatchObject({ name: 'StaleLeaseError' });
    await expect(store.write.commitPage(stale)).rejects.toBeInstanceOf(StoreError);
    staging.discardPages({ crawlId, lease });
    await store.write.commitPage(commitOf(other.id, other.lease, kept));
    expect(count(store, 'follows')).toBe(1);
  });
});
