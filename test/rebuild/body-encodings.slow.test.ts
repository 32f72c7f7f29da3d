import { createHash } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { DERIVED_TABLES, rebuild } from '#store/rebuild/rebuild.ts';
import type { rawPages } from '#store/schema/tables.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { CANARY } from '../client/service.ts';
import { crawlAgainst, followers, profile, reference } from '../engine/support.ts';
import { readerOf } from '../store/support.ts';
import { runCli } from '../support/cli.ts';
import { contentsOf, derivedDigest } from './digest.ts';
import { decompressPage, repairBodies } from './repair-bodies.ts';
import { someWeeks } from './some-weeks.ts';

type StoredPage = Pick<typeof rawPages.$inferSelect, 'id' | 'endpoint' | 'encoding' | 'hash' | 'body'>;
const COLUMNS = 'id, endpoint, encoding, hash, body';

function pagesOf(path: string): StoredPage[] {
  const db = openConnection(path, { readonly: true });
  const pages = db.prepare<[], StoredPage>(`select ${COLUMNS} from raw_pages order by id`).all();
  db.close();
  return pages;
}

/** Stores every nth brotli body as versions before brotli did. */
function deflateSome(path: string, nth: number): void {
  const db = openConnection(path);
  const set = db.prepare("update raw_pages set body = ?, encoding = 'deflate' where id = ?");
  const pages = pagesOf(path).filter(({ encoding }) => encoding === 'br');
  for (const [index, page] of pages.entries())
    if (index % nth === 0) set.run(deflateSync(decompressPage(page)), page.id);
  db.close();
}

const sha256 = (body: Buffer): string => createHash('sha256').update(body).digest('hex');

test.each([true, false])(
  'a gzip body is stored as it was served, others as brotli (writer thread: %s)',
  async (threaded) => {
    const page = (next: string | null) => followers(reference('1', 'nasa'), [reference(next ? '2' : '3', 'x')], next);
    const { run, store } = await crawlAgainst(
      { followers: ({ cursor }) => page(cursor ? null : 'A') },
      { threaded, isGzip: (nth) => nth === 1 },
    );
    expect((await run('followers', 'id:1')).crawl).toMatchObject({ state: 'complete', items: 2 });
    const statement = `select ${COLUMNS} from raw_pages where endpoint = 'followers' order by id`;
    const stored = readerOf(store).prepare<[], StoredPage>(statement).all();
    const served = [page('A'), page(null)].map((answer) => Buffer.from(JSON.stringify(answer)));
    expect(stored.map(({ encoding }) => encoding)).toEqual(['gzip', 'br']);
    expect(stored[0]!.body.equals(gzipSync(served[0]!))).toBe(true);
    expect(decompressPage(stored[1]!).equals(served[1]!)).toBe(true);
    expect(stored.map(({ hash }) => hash)).toEqual(served.map(sha256));
  },
);

test('a gzip body with the API key is stored without it', async () => {
  const { data } = profile('1', 'nasa') as { data: object };
  const { run, store } = await crawlAgainst(
    { 'user-profile': () => ({ data: { ...data, description: `your key is ${CANARY}` } }) },
    { isGzip: () => true },
  );
  await run('profile', 'nasa');
  const stored = readerOf(store).prepare<[], StoredPage>(`select ${COLUMNS} from raw_pages`).all();
  const redacted = Buffer.from(JSON.stringify({ data: { ...data, description: 'your key is [key]' } }));
  expect(stored).toMatchObject([{ encoding: 'br', hash: sha256(redacted) }]);
  expect(decompressPage(stored[0]!).equals(redacted)).toBe(true);
});

test('a rebuild from bodies of all encodings restores identical tables (invariant 10)', async () => {
  const { path } = await someWeeks({ isGzip: (nth) => nth % 2 === 0 });
  deflateSome(path, 2);
  const before = contentsOf(path);
  const digest = derivedDigest(path);
  const pages = pagesOf(path);
  for (const encoding of ['br', 'deflate', 'gzip'])
    expect(pages.filter((page) => page.encoding === encoding).length).toBeGreaterThan(2);
  const db = openConnection(path);
  db.pragma('foreign_keys = off');
  for (const table of DERIVED_TABLES) db.exec(`delete from ${table}`);
  db.close();

  expect(derivedDigest(path)).not.toBe(digest);
  await rebuild({ path, signal: new AbortController().signal, onProgress: () => undefined });
  expect(contentsOf(path)).toEqual(before);
  expect(derivedDigest(path)).toBe(digest);
});

test('`trawl rebuild --rejects` reads gzip bodies', async () => {
  const { path } = await someWeeks({ isGzip: () => true });
  repairBodies(path);
  const { stdout } = await runCli(['rebuild', '--rejects', '--db', path, '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ pages: 1, resolved: 1, newItems: 1, unreadable: 0, remaining: 0 });
  const rejected = readRejectedPage(path);
  expect(rejected).toMatchObject({ encoding: 'gzip' });
});

function readRejectedPage(path: string): unknown {
  const db = openConnection(path, { readonly: true });
  const page = db.prepare('select encoding from raw_pages where id = (select raw_page_id from rejects)').get();
  db.close();
  return page;
}
