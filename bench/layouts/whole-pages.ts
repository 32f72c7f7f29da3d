import { brotliCompressSync, constants, deflateSync } from 'node:zlib';
import type Database from 'better-sqlite3';
import { chunks, type Design, medians, perPiece, table } from './measure.ts';
import {
  ALL,
  FOLLOWS,
  FOLLOWS_ARRIVAL,
  FOLLOWS_REVERSE,
  followsByPage,
  openTables,
  pageStore,
  type Pragmas,
  SEEN,
  type StoreUsers,
  usersNarrow,
  usersRemembered,
} from './tables.ts';
import { bodyOf, type Page, userPages } from './workload.ts';

/** All steps from what was to what was decided, whole pages without the network: a first crawl, and the same again. */

interface Step {
  readonly ddl: string;
  readonly pragmas?: Pragmas;
  readonly savepoints?: boolean;
  readonly upserts?: boolean;
  readonly users?: (db: Database.Database) => StoreUsers;
  readonly body?: (body: Buffer) => Buffer;
}
interface Fetched {
  readonly page: Page;
  readonly body: Buffer;
  /** As the pool of threads made it. */
  readonly packed: Buffer;
}

const RAW = 'create table raw_pages (id integer primary key, at integer, body blob);';
const NARROW = ALL + SEEN + RAW;
const ARRIVAL = NARROW.replace(FOLLOWS, FOLLOWS_ARRIVAL).replace(FOLLOWS_REVERSE, '');
const SETTINGS: Pragmas = { cacheKb: 32_768, autocheckpoint: 16_000, tempStore: 'memory' };
const zlib1 = (body: Buffer): Buffer => deflateSync(body, { level: 1 });
const brotli1 = (body: Buffer): Buffer => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

const STEPS: Record<string, Step> = {
  'as it was, in groups': { ddl: ALL + RAW, savepoints: true, upserts: true, body: zlib1 },
  'no savepoints': { ddl: ALL + RAW, upserts: true, body: zlib1 },
  'bodies packed by the pool': { ddl: ALL + RAW, upserts: true },
  'users looked for first, times apart, edges by the page': { ddl: NARROW },
  'cache, checkpoints': { ddl: NARROW, pragmas: SETTINGS },
  'edges in order of arrival': { ddl: ARRIVAL, pragmas: SETTINGS },
  'users remembered': { ddl: ARRIVAL, pragmas: SETTINGS, users: usersRemembered },
};

const design = (name: string, step: Step): Design<Fetched[]> => ({
  name,
  open(file) {
    const db = openTables(file, step.ddl, step.pragmas);
    const store = step.upserts ? pageStore(db) : pageStore(db, (step.users ?? usersNarrow)(db), followsByPage(db));
    const raw = db.prepare('insert into raw_pages (at, body) values (?, ?)');
    const run = statements(db);
    return {
      write(group) {
        run('begin immediate');
        for (const { page, body, packed } of group) {
          if (step.savepoints) run('savepoint page');
          raw.run(page.at, step.body ? step.body(body) : packed);
          store(page);
          if (step.savepoints) run('release page');
        }
        run('commit');
      },
      close: () => db.close(),
    };
  },
});

function statements(db: Database.Database): (sql: string) => void {
  const prepared = new Map<string, Database.Statement>();
  return (sql) => {
    let statement = prepared.get(sql);
    if (!statement) prepared.set(sql, (statement = db.prepare(sql)));
    statement.run();
  };
}

const first = userPages(2048).map((page): Fetched => {
  const body = bodyOf(page);
  return { page, body, packed: brotli1(body) };
});
const again = first.map((fetched) => ({ ...fetched, page: { ...fetched.page, at: fetched.page.at + 86_400_000 } }));
const designs = Object.entries(STEPS).map(([name, step]) => design(name, step));
const runs = await medians(designs, [chunks(first, 32), chunks(again, 32)]);
for (const key of ['threadUs', 'wallUs', 'walBytes'] as const) {
  const [crawl, recrawl] = [0, 1].map((phase) => perPiece(runs, phase, key, 204_800));
  table(
    [`${key} per user`, 'first', 'x', 'again', 'x', 'again / first'],
    designs.map(({ name }, i) => [
      name,
      ...crawl![i]!,
      ...recrawl![i]!,
      (runs[i]![1]![key] / runs[i]![0]![key]).toFixed(2),
    ]),
  );
}
