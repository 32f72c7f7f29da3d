import type Database from 'better-sqlite3';
import { loadDriver } from '../../src/store/sqlite/driver.ts';

/** Restores the only store of a lake, and kills this process before its nth statement; without n, prints their number. */
const [lake, path, at] = process.argv.slice(2);
let statements = 0;

function count(): void {
  statements += 1;
  if (statements === Number(at)) process.kill(process.pid, 'SIGKILL');
}

const driver = loadDriver();
const { prepare, exec } = driver.prototype;
driver.prototype.exec = function (this: Database.Database, sql) {
  count();
  return exec.call(this, sql);
};
driver.prototype.prepare = function (this: Database.Database, sql: string) {
  const statement = prepare.call(this, sql);
  const run = statement.run.bind(statement) as typeof statement.run;
  statement.run = (...values: unknown[]) => {
    count();
    return run(...(values as [unknown[]]));
  };
  return statement;
} as typeof prepare;

const { loadTargetKind } = await import('../../src/ship/targets/target-kinds.ts');
const { restoreStore } = await import('../../src/ship/restore/restore-store.ts');
const kind = await loadTargetKind(lake!);
const access = { address: lake!, variables: {} };
const [record] = await kind.readStores(access);
await restoreStore({
  ...{
    path: path!,
    temporary: `${path!}.${process.pid}.partial`,
    address: lake!,
    record: record!,
    maxBacklogBytes: 1e9,
  },
  ...{ content: await kind.openContent!(access), now: Date.now, signal: new AbortController().signal },
  onProgress: () => undefined,
});
process.stdout.write(String(statements));
