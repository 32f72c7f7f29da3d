import { createHash } from 'node:crypto';
import { closeSync, fdatasync, fdatasyncSync, openSync, readSync, writevSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, deflate, deflateSync, inflateSync } from 'node:zlib';
import { chunks, type Cost, type Design, medians, table } from './measure.ts';
import { DECIDED, DECIDED_PRAGMAS, decidedStore, groups, openTables } from './tables.ts';
import { bodyOf, type Page, userPages } from './workload.ts';

/**
 * Where the body of a page goes, and what it costs beside the rows. `thread` is the writer's own CPU: what the pool
 * does is in `process` only. `finish` folds what was put aside into the file.
 */

interface Fetched {
  readonly page: Page;
  readonly body: Buffer;
}
type Group = readonly Fetched[];

const GROUP = 32;
const RAW = `create table raw_pages (id integer primary key not null, crawl_id integer not null, endpoint text not null,
  parameters text not null, status integer not null, fetched_at integer not null, hash text, body blob, at integer,
  size integer); create index raw_pages_crawl on raw_pages (crawl_id);`;
const brotli = (quality: number) => ({ params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
const deflateLater = promisify(deflate) as (body: Buffer, options: { level: number }) => Promise<Buffer>;
const brotliLater = promisify(brotliCompress) as (body: Buffer, options: object) => Promise<Buffer>;
const syncLater = promisify(fdatasync);

interface Options {
  readonly autocheckpoint?: number;
  readonly hash?: boolean;
}

function opened(file: string, { autocheckpoint, hash }: Options = {}) {
  const db = openTables(file, DECIDED + RAW, {
    ...DECIDED_PRAGMAS,
    ...(autocheckpoint !== undefined && { autocheckpoint }),
  });
  const storeRows = decidedStore(db);
  const insert =
    db.prepare(`insert into raw_pages (crawl_id, endpoint, parameters, status, fetched_at, hash, body, at, size)
    values (?, 'user_followers', '{"userId":"11348282"}', 200, ?, ?, ?, ?, ?)`);
  const store = ({ page, body }: Fetched, stored: Buffer | null, at: number | null = null): void => {
    const digest = hash ? createHash('sha256').update(body).digest('hex') : null;
    insert.run(page.list + 1, page.at, digest, stored, at, body.length);
    storeRows(page);
  };
  return { db, store, inGroup: groups(db) };
}

/** The body goes into the transaction, as `encode` makes it. */
const inside = (name: string, encode: (body: Buffer) => Buffer | null, options?: Options): Design<Group> => ({
  name,
  open(file) {
    const { db, store, inGroup } = opened(file, options);
    return {
      write: (group) => inGroup(group, (fetched) => store(fetched, encode(fetched.body))),
      close: () => db.close(),
    };
  },
});

/** The body is encoded by the pool, before the transaction begins. */
const before = (name: string, encode: (body: Buffer) => Promise<Buffer>): Design<Group> => ({
  name,
  open(file) {
    const { db, store, inGroup } = opened(file);
    return {
      async write(group) {
        const encoded = await Promise.all(group.map(({ body }) => encode(body)));
        const ready = group.map((fetched, i) => ({ fetched, body: encoded[i]! }));
        inGroup(ready, ({ fetched, body }) => store(fetched, body));
      },
      close: () => db.close(),
    };
  },
});

/**
 * The body goes to a file beside the database, which is synced before rows that point to it can be on disk: before
 * each checkpoint (`checkpoint`), or while the rows of the group are written, before their commit (`commit`).
 */
const beside = (name: string, sync: 'checkpoint' | 'commit', fold?: (body: Buffer) => Buffer): Design<Group> => ({
  name,
  open(file) {
    const { db, store, inGroup } = opened(file, sync === 'checkpoint' ? { autocheckpoint: 0 } : {});
    const journal = openSync(`${file}-raw`, 'w+');
    const checkpoint = db.prepare<[], { log: number }>('pragma wal_checkpoint(passive)');
    const [begin, commit] = [db.prepare('begin immediate'), db.prepare('commit')];
    let size = 0;
    let written = 0;
    const append = (group: Group): number => {
      const start = size;
      size += writevSync(
        journal,
        group.map(({ body }) => body),
      );
      return start;
    };
    const foldAll = (encode: (body: Buffer) => Buffer): void => {
      const rows = db.prepare<[], { id: number; at: number; size: number }>('select id, at, size from raw_pages').all();
      const update = db.prepare('update raw_pages set body = ?, at = null where id = ?');
      for (const some of chunks(rows, GROUP)) {
        begin.run();
        for (const row of some) {
          const body = Buffer.allocUnsafe(row.size);
          readSync(journal, body, 0, row.size, row.at);
          update.run(encode(body), row.id);
        }
        commit.run();
      }
    };
    return {
      async write(group) {
        let at = append(group);
        const place = ({ body }: Fetched): number => (at += body.length) - body.length;
        if (sync === 'checkpoint') {
          inGroup(group, (fetched) => store(fetched, null, place(fetched)));
          // About as often as SQLite's own checkpoints.
          written += group.length;
          if (written < 8 * GROUP) return;
          written = 0;
          fdatasyncSync(journal);
          checkpoint.get();
        } else {
          const synced = syncLater(journal);
          begin.run();
          for (const fetched of group) store(fetched, null, place(fetched));
          await synced;
          commit.run();
        }
      },
      ...(fold && { finish: () => foldAll(fold) }),
      close() {
        closeSync(journal);
        db.close();
      },
    };
  },
});

/** Into the transaction as it is, and made smaller when there is time: the room is reused by the next bodies. */
const shrunk = (name: string): Design<Group> => ({
  name,
  open(file) {
    const { db, store, inGroup } = opened(file);
    return {
      write: (group) => inGroup(group, (fetched) => store(fetched, fetched.body)),
      finish() {
        const ids = db.prepare<[], number>('select id from raw_pages').pluck().all();
        const body = db.prepare<[number], Buffer>('select body from raw_pages where id = ?').pluck();
        const update = db.prepare('update raw_pages set body = ? where id = ?');
        for (const some of chunks(ids, GROUP)) {
          inGroup(some, (id) => update.run(deflateSync(body.get(id)!, { level: 1 }), id));
        }
      },
      close: () => db.close(),
    };
  },
});

const zlib1 = (body: Buffer): Buffer => deflateSync(body, { level: 1 });
const designs = [
  inside('none', () => null),
  inside('none, with SHA-256', () => null, { hash: true }),
  inside('as it is, in the transaction', (body) => body),
  shrunk('the same, shrunk at the end'),
  inside('zlib 1, in the transaction', zlib1),
  inside('brotli 0, in the transaction', (body) => brotliCompressSync(body, brotli(0))),
  inside('brotli 1, in the transaction', (body) => brotliCompressSync(body, brotli(1))),
  before('zlib 1, by the pool', (body) => deflateLater(body, { level: 1 })),
  before('brotli 0, by the pool', (body) => brotliLater(body, brotli(0))),
  before('brotli 1, by the pool', (body) => brotliLater(body, brotli(1))),
  beside('journal, synced before checkpoints', 'checkpoint', zlib1),
  beside('journal, synced before commits', 'commit', (body) => brotliCompressSync(body, brotli(1))),
];

const pages = userPages(2048).map((page) => ({ page, body: bodyOf(page) }));
if (!inflateSync(zlib1(pages[0]!.body)).equals(pages[0]!.body)) throw new Error('the body did not come back');
const runs = await medians(designs, [chunks(pages, GROUP)]);
const base = runs[0]![0]!;
const perPage = (us: number): string => (us / pages.length).toFixed(0);
table(
  ['per page', 'thread us', 'x', 'process us', 'x', 'wall us', 'x', 'WAL bytes', 'finish us', 'WAL bytes'],
  designs.map(({ name }, i) => {
    const [writing, finishing] = runs[i] as [Cost, Cost];
    return [
      name,
      perPage(writing.threadUs),
      (writing.threadUs / base.threadUs).toFixed(2),
      perPage(writing.processUs),
      (writing.processUs / base.processUs).toFixed(2),
      perPage(writing.wallUs),
      (writing.wallUs / base.wallUs).toFixed(2),
      perPage(writing.walBytes),
      perPage(finishing.processUs),
      perPage(finishing.walBytes),
    ];
  }),
);
