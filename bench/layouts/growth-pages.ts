import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { table, threadCpuUs, walMeter } from './measure.ts';
import {
  ALL,
  FOLLOWS,
  FOLLOWS_ARRIVAL,
  FOLLOWS_REVERSE,
  followsByPage,
  groups,
  openTables,
  pageStore,
  type Pragmas,
  SEEN,
  usersNarrow,
} from './tables.ts';
import { type EdgePage, edgePages, type Page, personOf } from './workload.ts';

/** Growth with everything of a page: users are half new all the way, so their indexes grow as well. */

const OLD = ALL + SEEN;
const NEW = ALL.replace(FOLLOWS, FOLLOWS_ARRIVAL).replace(FOLLOWS_REVERSE, '') + SEEN;
const settings = (mb: number): Pragmas => ({ cacheKb: mb * 1024, autocheckpoint: 16_000, tempStore: 'memory' });
const DESIGNS: Record<string, { ddl: string; pragmas: Pragmas; group: number }> = {
  today: { ddl: ALL, pragmas: { cacheKb: 65_536, autocheckpoint: 1000 }, group: 32 },
  'edges by key': { ddl: OLD, pragmas: settings(32), group: 32 },
  'edges by arrival': { ddl: NEW, pragmas: settings(32), group: 32 },
  'cache 16 MB': { ddl: NEW, pragmas: settings(16), group: 32 },
  'cache 64 MB': { ddl: NEW, pragmas: settings(64), group: 32 },
  'groups of 64': { ddl: NEW, pragmas: settings(32), group: 64 },
};

interface Report {
  readonly tenths: readonly number[];
  readonly wal: readonly number[];
  readonly rss: readonly number[];
  readonly size: number;
}

if (process.send) grow(process.argv[2]!, Number(process.argv[3]));
else await main();

function grow(name: string, edges: number): void {
  const { ddl, pragmas, group } = DESIGNS[name]!;
  const folder = mkdtempSync(join(tmpdir(), 'trawl-layouts-'));
  const file = join(folder, 'grown.db');
  const db = openTables(file, ddl, pragmas);
  const meter = walMeter(file, 4096);
  const store = name === 'today' ? pageStore(db) : pageStore(db, usersNarrow(db), followsByPage(db));
  const inGroup = groups(db);
  const report = { tenths: [] as number[], wal: [] as number[], rss: [] as number[], size: 0 };
  const pages = edgePages();
  const page = ({ list, at, target, followers }: EdgePage): Page => ({
    list,
    at,
    target: personOf(target),
    users: followers.map(personOf),
  });
  let spent = 0;
  let written = meter.read();
  for (let n = 0; n < edges / 100;) {
    const some = Array.from({ length: group }, () => page(pages.next().value as EdgePage));
    n += some.length;
    const start = threadCpuUs();
    inGroup(some, store);
    spent += threadCpuUs() - start;
    meter.read();
    if (n * 1000 < edges * (report.tenths.length + 1)) continue;
    report.tenths.push(spent / (edges / 10));
    report.wal.push((meter.read() - written) / (edges / 10));
    report.rss.push(process.memoryUsage.rss() / 1e6);
    spent = 0;
    written = meter.read();
  }
  db.pragma('wal_checkpoint(truncate)');
  report.size = statSync(file).size / 1e6;
  process.send!(report);
  meter.close();
  db.close();
  rmSync(folder, { recursive: true });
}

async function main(): Promise<void> {
  const [edges = '3000000', ...names] = process.argv.slice(2);
  for (const name of names.length > 0 ? names : Object.keys(DESIGNS)) {
    const report = await new Promise<Report>((resolve, reject) => {
      const child = fork(new URL(import.meta.url), [name, edges]);
      child.on('message', resolve);
      child.on('error', reject);
    });
    table(
      [
        `${name}, ${report.size.toFixed(0)} MB`,
        ...report.tenths.map((_, i) => ((Number(edges) * (i + 1)) / 10 / 1e6).toFixed(1)),
      ],
      [
        ['us per edge', ...report.tenths.map((us) => us.toFixed(1))],
        ['WAL bytes per edge', ...report.wal.map((bytes) => bytes.toFixed(0))],
        ['resident MB', ...report.rss.map((mb) => mb.toFixed(0))],
      ],
    );
  }
}
