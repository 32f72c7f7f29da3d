import type Database from 'better-sqlite3';
import { eraseAccounts } from '../../../src/store/erasure/erase-accounts.ts';
import { loadDriver } from '../../../src/store/sqlite/driver.ts';

/**
 * Erases accounts, and kills this process before its nth statement that may write; without n, prints the number of these
 * statements. Arguments: the store, the ids as JSON, the policy, n.
 */
const [path, ids, mentions, at] = process.argv.slice(2);
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

await eraseAccounts({
  path: path!,
  accounts: { restIds: JSON.parse(ids!) as string[], handles: [] },
  mentions: mentions as 'keep' | 'redact',
  now: Date.now,
  onProgress: () => undefined,
});
process.stdout.write(String(statements));
