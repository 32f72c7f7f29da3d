import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { table, threadCpuUs, walMeter } from './measure.ts';
import {
  FOLLOWS,
  FOLLOWS_ARRIVAL,
  FOLLOWS_REVERSE,
  groups,
  openTables,
  type Pragmas,
  UPSERT_FOLLOW,
  UPSERT_FOLLOWS,
} from './tables.ts';
import { type EdgePage, edgePages } from './workload.ts';

/**
 * Five million edges, in a process for each design, because memory is what is asked: CPU per edge of every tenth of the
 * way, memory and the size of the file. A few designs at once by name: `growth.ts <edges> <name…>`.
 */

interface Grower {
  write(pages: readonly EdgePage[]): void;
  /** When lists end: every so many pages. */
  settle?(): void;
  finish?(): void;
}

const upsertRows = (db: Database.Database): Grower => {
  const statement = db.prepare(UPSERT_FOLLOW).raw();
  const inGroup = groups(db);
  return {
    write: (pages) =>
      inGroup(pages, ({ target, followers, at }) => {
        for (const follower of followers) statement.get(target, follower, at, at);
      }),
  };
};

const upsertPages = (db: Database.Database): Grower => {
  const statement = db.prepare(UPSERT_FOLLOWS);
  const inGroup = groups(db);
  return {
    write: (pages) =>
      inGroup(pages, ({ target, followers, at }) =>
        statement.run({ target, at, followers: JSON.stringify(followers) }),
      ),
  };
};

/** Pages are appended as they come, and merged in the order of the key when a list has come far. */
const appendAndMerge = (db: Database.Database): Grower => {
  db.exec('create table arrived (target integer, at integer, followers text)');
  const append = db.prepare('insert into arrived values (@target, @at, @followers)');
  const inGroup = groups(db);
  const merge = `insert into follows (followee_id, follower_id, first_seen, last_seen)
    select target, value, min(at), max(at) from arrived, json_each(followers) group by target, value order by target, value
    on conflict do update set last_seen = max(last_seen, excluded.last_seen), first_seen = min(first_seen, excluded.first_seen),
    ended = case when excluded.last_seen >= last_seen then null else ended end`;
  const settle = (): void => void db.exec(`begin immediate; ${merge}; delete from arrived; commit`);
  return {
    write: (pages) =>
      inGroup(pages, ({ target, followers, at }) => append.run({ target, at, followers: JSON.stringify(followers) })),
    settle,
  };
};

/** Both tables, and the second one without a time: an edge is found from either side. */
const reverseAtEnd = (db: Database.Database): Grower => ({
  ...upsertPages(db),
  finish: () => void db.exec(FOLLOWS_REVERSE),
});

/** The reverse index gets the edges of a list when the list ends, in its own order. */
const reverseBySlice = (db: Database.Database): Grower => {
  db.exec(
    'create table followed (follower_id integer, followee_id integer, primary key (follower_id, followee_id)) without rowid',
  );
  db.exec('create table fresh (follower_id integer, followee_id integer)');
  const insert = db.prepare(`insert into follows (followee_id, follower_id, first_seen, last_seen)
    select @target, value, @at, @at from json_each(@followers) where true on conflict do nothing`);
  const note = db.prepare('insert into fresh select value, @target from json_each(@followers)');
  const inGroup = groups(db);
  return {
    write: (pages) =>
      inGroup(pages, ({ target, followers, at }) => {
        insert.run({ target, at, followers: JSON.stringify(followers) });
        note.run({ target, followers: JSON.stringify(followers) });
      }),
    settle: () =>
      void db.exec(
        `begin immediate; insert or ignore into followed select * from fresh order by 1, 2; delete from fresh; commit`,
      ),
  };
};

const BOTH = FOLLOWS + FOLLOWS_REVERSE;
const DESIGNS: Record<string, { make: (db: Database.Database) => Grower; ddl: string; pragmas: Pragmas }> = {
  'rows, cache 16 MB': { make: upsertRows, ddl: BOTH, pragmas: {} },
  'pages, cache 16 MB': { make: upsertPages, ddl: BOTH, pragmas: { cacheKb: 16_384 } },
  'pages, cache 64 MB': { make: upsertPages, ddl: BOTH, pragmas: { cacheKb: 65_536 } },
  'pages, cache 256 MB': { make: upsertPages, ddl: BOTH, pragmas: { cacheKb: 262_144 } },
  'in order of arrival': {
    make: upsertPages,
    ddl: FOLLOWS_ARRIVAL,
    pragmas: { cacheKb: 16_384, autocheckpoint: 16_000 },
  },
  'pages, cache 16 MB, 1 KB': {
    make: upsertPages,
    ddl: BOTH,
    pragmas: { cacheKb: 16_384, pageSize: 1024, autocheckpoint: 64_000 },
  },
  'pages, cache 16 MB, 2 KB': {
    make: upsertPages,
    ddl: BOTH,
    pragmas: { cacheKb: 16_384, pageSize: 2048, autocheckpoint: 32_000 },
  },

  'pages, cache 64 MB, 8 KB': { make: upsertPages, ddl: BOTH, pragmas: { cacheKb: 65_536, pageSize: 8192 } },
  'append, merge every 800 pages': { make: appendAndMerge, ddl: BOTH, pragmas: {} },
  'reverse apart, every 800 pages': { make: reverseBySlice, ddl: FOLLOWS, pragmas: {} },
  'reverse index at the end': { make: reverseAtEnd, ddl: FOLLOWS, pragmas: {} },
};

interface Report {
  readonly tenths: readonly number[];
  readonly rss: readonly number[];
  readonly finishUs: number;
  readonly walBytes: number;
  readonly size: number;
}

if (process.send) grow(process.argv[2]!, Number(process.argv[3]));
else await main();

function grow(name: string, edges: number): void {
  const { make, ddl, pragmas } = DESIGNS[name]!;
  const folder = mkdtempSync(join(tmpdir(), 'trawl-layouts-'));
  const file = join(folder, 'grown.db');
  const db = openTables(file, ddl, { autocheckpoint: 16_000, cacheKb: 16_384, tempStore: 'memory', ...pragmas });
  const meter = walMeter(file, pragmas.pageSize ?? 4096);
  const grower = make(db);
  const [tenths, rss]: [number[], number[]] = [[], []];
  const pages = edgePages();
  let spent = 0;
  for (let n = 0; n < edges / 100;) {
    const group = Array.from({ length: 32 }, () => pages.next().value as EdgePage);
    n += group.length;
    const start = threadCpuUs();
    grower.write(group);
    if (n % 800 === 0) grower.settle?.();
    spent += threadCpuUs() - start;
    meter.read();
    if (n * 1000 >= edges * (tenths.length + 1)) {
      tenths.push(spent / (edges / 10));
      rss.push(process.memoryUsage.rss() / 1e6);
      spent = 0;
    }
  }
  const start = threadCpuUs();
  grower.finish?.();
  const finishUs = (threadCpuUs() - start) / edges;
  const walBytes = meter.read() / edges;
  db.pragma('wal_checkpoint(truncate)');
  process.send!({ tenths, rss, finishUs, walBytes, size: statSync(file).size / 1e6 } satisfies Report);
  meter.close();
  db.close();
  rmSync(folder, { recursive: true });
}

async function main(): Promise<void> {
  const [edges = '5000000', ...names] = process.argv.slice(2);
  const rows: (string | number)[][] = [];
  for (const name of names.length > 0 ? names : Object.keys(DESIGNS)) {
    const report = await new Promise<Report>((resolve, reject) => {
      const child = fork(new URL(import.meta.url), [name, edges]);
      child.on('message', resolve);
      child.on('error', reject);
    });
    const at = (n: number): string => report.tenths[n - 1]!.toFixed(2);
    rows.push([
      name,
      ...[1, 2, 4, 6, 8, 10].map(at),
      (report.tenths[9]! / report.tenths[1]!).toFixed(2),
      report.finishUs.toFixed(2),
      ...[2, 10].map((n) => report.rss[n - 1]!.toFixed(0)),
      report.size.toFixed(0),
      report.walBytes.toFixed(0),
    ]);
  }
  table(
    [
      'us per edge',
      '1st tenth',
      '2nd',
      '4th',
      '6th',
      '8th',
      '10th',
      '10th / 2nd',
      'end',
      'MB at 2nd',
      'at 10th',
      'file MB',
      'WAL B/edge',
    ],
    rows,
  );
}
