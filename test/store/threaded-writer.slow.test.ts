import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmdirSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StaleLeaseError, StoreError } from '#base/errors.ts';
import type { PageCommit, RawPage } from '#store/schema/commit-messages.ts';
import { CHECKPOINT_PAGES, openDatabase } from '#store/sqlite/database.ts';
import { loadDriver } from '#store/sqlite/driver.ts';
import { openStore, type Store } from '#store/store.ts';
import { tempFile } from '../support/temp.ts';
import { pageOf, readerOf, rows, spec } from './support.ts';

function threadedStore(): Store {
  const store = openStore(tempFile('store.db'), { threaded: true });
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}

const user = (restId: string) => ({ users: [{ restId, detailLevel: 'reference' as const }] });
const countOf = (store: Store, table: string): unknown =>
  readerOf(store).prepare(`select count(*) from ${table}`).pluck().get();

/** So many crawls of one page each, which are leased and ready to be stored. */
async function pagesOf(store: Store, count: number): Promise<PageCommit[]> {
  const opened = await store.write.openCrawls(
    Array.from({ length: count }, (_, n) => spec({ target: `target${n}` })),
    1,
  );
  return await Promise.all(
    opened.map(async ({ id }, n) => {
      const { leaseToken: lease } = (await store.write.takeLease(id, 2))!;
      return pageOf(id, lease, 3, { rows: rows(user(`${n}`)) });
    }),
  );
}

describe('a store with a writer thread', () => {
  it('stores concurrent pages independently', async () => {
    const store = threadedStore();
    const pages = await pagesOf(store, 40);
    pages[7] = { ...pages[7]!, lease: 0 };
    pages[11] = {
      ...pages[11]!,
      rows: rows({ users: [{ restId: '11', detailLevel: 'reference', name: (2n ** 70n) as never }] }),
    };
    pages[12] = { ...pages[12]!, requestCursor: 'another page' };
    const outcomes = await Promise.allSettled(pages.map((page) => store.write.commitPage(page)));
    const failed = outcomes.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []));
    expect(failed).toEqual([7, 11, 12]);
    expect(outcomes[7]).toMatchObject({ reason: expect.any(StaleLeaseError) });
    expect(outcomes[11]).toMatchObject({ reason: { message: expect.stringContaining('too big') } });
    expect(outcomes[11]).toMatchObject({ reason: expect.any(RangeError) });
    expect((outcomes[11] as PromiseRejectedResult).reason.stack).toContain('writer-thread');
    expect(outcomes[3]).toMatchObject({ value: { newItems: 1, children: [] } });
    expect(countOf(store, 'users')).toBe(37);
    expect(countOf(store, 'crawls where pages = 1')).toBe(37);
  });

  it('throws an error of SQLite with its class and code', async () => {
    const store = threadedStore();
    const [page] = await pagesOf(store, 1);
    const { $client } = openDatabase(store.path);
    onTestFinished(() => void $client.close());
    $client.exec("create trigger refuse before insert on users begin select raise(abort, 'not this one'); end");
    const error = await store.write.commitPage(page!).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ message: 'not this one', code: 'SQLITE_CONSTRAINT_TRIGGER', failure: 'data' });
    expect((error as Error).cause).toBeInstanceOf(loadDriver().SqliteError);
  });

  it('a page is stored after the previous page or not at all (invariant 1)', async () => {
    const store = threadedStore();
    const [first] = await pagesOf(store, 1);
    const to = (cursor: string): PageCommit['progress'] => ({ ...first!.progress, cursor });
    const second = { ...first!, requestCursor: 'A', progress: to('B') };
    const bad = {
      ...first!,
      progress: to('A'),
      rows: rows({ users: [{ restId: '1', detailLevel: 'reference', name: {} as never }] }),
    };
    const [one, two] = await Promise.allSettled([store.write.commitPage(bad), store.write.commitPage(second)]);
    expect([one.status, two.status]).toEqual(['rejected', 'rejected']);
    expect(store.read.crawl(first!.crawlId)).toMatchObject({ cursor: null, pages: 0 });
    await Promise.all([store.write.commitPage({ ...bad, rows: first!.rows }), store.write.commitPage(second)]);
    expect(store.read.crawl(first!.crawlId)).toMatchObject({ cursor: 'B', pages: 2 });
  });

  it('waits for the lock of another process without blocking this thread', async () => {
    const store = threadedStore();
    const [page] = await pagesOf(store, 1);
    const { $client: other } = openDatabase(store.path);
    onTestFinished(() => void other.close());
    other.exec('begin immediate');
    const stored = store.write.commitPage(page!);
    // A blocked thread would never release the lock.
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(countOf(store, 'users')).toBe(0);
    other.exec('commit');
    expect(await stored).toMatchObject({ newItems: 1 });
  });

  it('finishes pending work before it closes', async () => {
    const store = threadedStore();
    const pages = await pagesOf(store, 100);
    const stored = Promise.all(pages.map((page) => store.write.commitPage(page)));
    await store[Symbol.asyncDispose]();
    expect(await stored).toHaveLength(100);
    await expect(store.write.takeLease(1, 9)).rejects.toThrow('is closed');
  });

  it('checkpoints a long WAL while nobody writes', async () => {
    const store = threadedStore();
    const pages = await pagesOf(store, 40);
    // In all more than makes the thread of the checkpoints act, and less than makes a writer do it.
    const body = randomBytes((CHECKPOINT_PAGES * 4096 * 0.6) / pages.length);
    const raw: RawPage = {
      endpoint: 'search',
      parameters: '{}',
      status: 200,
      fetchedAt: 1,
      hash: '',
      encoding: 'br',
      body,
    };
    await Promise.all(pages.map((page) => store.write.commitPage({ ...page, bodies: [raw] })));
    const { $client } = openDatabase(store.path);
    onTestFinished(() => void $client.close());
    await expect
      .poll(() => $client.pragma('wal_checkpoint(NOOP)'), { timeout: 20_000 })
      .toSatisfy(([{ log, checkpointed }]) => log > CHECKPOINT_PAGES / 2 && checkpointed === log);
  });

  it('fails pending work if it cannot start, and starts again at the next call', async () => {
    const store = threadedStore();
    const away = `${store.path}.away`;
    renameSync(store.path, away);
    mkdirSync(store.path);
    const error = await store.write.openCrawls([spec()], 1).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      isFatal: true,
      name: 'FileReplacedError',
      message: expect.stringContaining('was replaced by another file'),
    });
    rmdirSync(store.path);
    renameSync(away, store.path);
    expect(await store.write.openCrawls([spec()], 1)).toEqual([{ id: 1, isJoined: false }]);
  });
});
