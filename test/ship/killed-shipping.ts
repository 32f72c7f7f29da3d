import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type Database from 'better-sqlite3';
import { systemClock } from '../../src/clock.ts';
import { loadDriver } from '../../src/store/sqlite/driver.ts';

/**
 * Ships what waits in a store, and kills this process before its nth statement that may write, or its nth rename of a file;
 * without n, prints their number. Arguments: the store, n.
 */
const [path, at] = process.argv.slice(2);
let operations = 0;

function count(): void {
  operations += 1;
  if (operations === Number(at)) process.kill(process.pid, 'SIGKILL');
}

const { rename } = fs.promises;
fs.promises.rename = async (...args) => {
  count();
  await rename(...args);
};
syncBuiltinESMExports();
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

const { openStore } = await import('../../src/store/store.ts');
const { openDatabase } = await import('../../src/store/sqlite/database.ts');
const { readShipTargets } = await import('../../src/store/outbox/targets.ts');
const { shipFacts } = await import('../../src/ship/ship-facts.ts');
await using store = openStore(path!);
using db = openDatabase(path!);
const [target] = readShipTargets(db);
const options = { db, path: path!, store: store.id, target: target!, clock: systemClock, variables: {}, isOnce: true };
await shipFacts({ ...options, signal: new AbortController().signal });
process.stdout.write(String(operations));
