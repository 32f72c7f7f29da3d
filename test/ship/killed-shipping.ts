import fs, { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type Database from 'better-sqlite3';
import { Client } from 'pg';
import { systemClock } from '../../src/clock.ts';
import { readEnvironment, readTargetVariables } from '../../src/config.ts';
import { loadDriver } from '../../src/store/sqlite/driver.ts';

/**
 * Ships what waits in a store, and kills this process at its nth operation: before a statement of SQLite that may write, a rename of
 * a file, or a request to object storage, before or after a statement is sent to PostgreSQL. Without n, prints all operations as
 * JSON. Arguments: the store, n, and the id of another process to kill with its children instead.
 */
const [path, at, victim] = process.argv.slice(2);
const operations: string[] = [];

function count(operation: string): void {
  operations.push(operation);
  if (operations.length !== Number(at)) return;
  const pid = Number(victim ?? process.pid);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  for (const each of victim === undefined ? [pid] : [pid, ...children]) process.kill(Number(each), 'SIGKILL');
}

const { rename } = fs.promises;
fs.promises.rename = async (...args) => {
  count('rename');
  await rename(...args);
};
syncBuiltinESMExports();
const { fetch } = globalThis;
globalThis.fetch = async (...args) => {
  count('request');
  return await fetch(...args);
};
const driver = loadDriver();
const { prepare, exec } = driver.prototype;
driver.prototype.exec = function (this: Database.Database, sql) {
  count(sql);
  return exec.call(this, sql);
};
driver.prototype.prepare = function (this: Database.Database, sql: string) {
  const statement = prepare.call(this, sql);
  const run = statement.run.bind(statement) as typeof statement.run;
  statement.run = (...values: unknown[]) => {
    count(sql);
    return run(...(values as [unknown[]]));
  };
  return statement;
} as typeof prepare;

const query = Client.prototype.query as (...args: unknown[]) => unknown;
Client.prototype.query = function (this: Client, ...args: unknown[]) {
  const [statement] = args as [string | { readonly text: string }];
  const text = typeof statement === 'string' ? statement : statement.text;
  count(`before ${text}`);
  const result = query.apply(this, args);
  count(`after ${text}`);
  return result;
} as typeof Client.prototype.query;

const { openStore } = await import('../../src/store/store.ts');
const { openDatabase } = await import('../../src/store/sqlite/database.ts');
const { readShipTargets } = await import('../../src/store/outbox/targets.ts');
const { shipFacts } = await import('../../src/ship/ship-facts.ts');
await using store = openStore(path!);
using db = openDatabase(path!);
const [target] = readShipTargets(db);
const variables = readTargetVariables(readEnvironment().env);
const options = { db, path: path!, store: store.id, target: target!, clock: systemClock, variables, isOnce: true };
await shipFacts({ ...options, signal: new AbortController().signal });
process.stdout.write(JSON.stringify(operations));
