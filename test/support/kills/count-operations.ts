import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import type Database from 'better-sqlite3';
import { loadDriver } from '#store/sqlite/driver.ts';

/**
 * Loaded before a program: counts what it changes, and kills it at its nth operation (`KILL_AT`): before or after a statement of
 * SQLite that may write, a change of a file of a test, or a message to a server. Writes all operations as JSON to `OPERATIONS` when it ends.
 */
// oxlint-disable-next-line node/no-process-env -- the program's own arguments are those of trawl
const { KILL_AT, OPERATIONS } = process.env;
const operations: string[] = [];

function count(operation: string): void {
  operations.push(operation);
  if (operations.length !== Number(KILL_AT)) return;
  process.kill(process.pid, 'SIGKILL');
}

type Run = (this: unknown, ...args: unknown[]) => unknown;

/** Counts an operation before and after it runs. @param describe its name; undefined if it does not count */
function countAround(run: Run, describe: (self: unknown, args: readonly unknown[]) => string | undefined): Run {
  return function (...args) {
    const name = describe(this, args);
    if (name === undefined) return run.apply(this, args);
    count(`before ${name}`);
    const result = run.apply(this, args);
    if (!(result instanceof Promise)) {
      count(`after ${name}`);
      return result;
    }
    return result.then((value) => {
      count(`after ${name}`);
      return value as unknown;
    });
  };
}

/** Replaces functions of an object, if it has them. */
function patch(object: object, names: readonly string[], describe: Parameters<typeof countAround>[1]): void {
  const functions = object as Record<string, Run>;
  for (const name of names)
    functions[name] = countAround(functions[name]!, (self, args) => {
      const described = describe(self, args);
      return described === undefined ? undefined : `${name} ${described}`;
    });
}

/** Files of tests and of trawl, but not those of the loader. */
const describePath = (_: unknown, args: readonly unknown[]): string | undefined =>
  args.map(String).find((path) => path.includes('trawl-'));

const ofPaths = ['copyFile', 'link', 'mkdir', 'open', 'rename', 'rm', 'unlink', 'writeFile'];
patch(
  fs,
  ofPaths.map((name) => `${name}Sync`),
  describePath,
);
patch(fs, ['fsyncSync', 'writeSync'], () => '');
patch(fs.promises, ofPaths, describePath);
const { open } = fs.promises;
let isPatched = false;
fs.promises.open = async (...args): Promise<FileHandle> => {
  const handle = await open(...args);
  if (!isPatched) patch(Object.getPrototypeOf(handle) as object, ['write', 'sync'], () => '');
  isPatched = true;
  return handle;
};
syncBuiltinESMExports();

// What is printed goes to sockets without an address.
patch(net.Socket.prototype, ['write'], (socket, [data]) =>
  (socket as net.Socket).remotePort === undefined
    ? undefined
    : String(data)
        .replaceAll(/[^ -~]+/g, ' ')
        .slice(0, 80),
);

const driver = loadDriver();
const { prepare } = driver.prototype;
patch(driver.prototype, ['exec'], (_, [sql]) => String(sql));
driver.prototype.prepare = function (this: Database.Database, sql: string) {
  const statement = prepare.call(this, sql);
  patch(statement, ['run'], () => sql);
  return statement;
} as typeof prepare;

process.on('exit', () => {
  if (OPERATIONS !== undefined) fs.writeFileSync(OPERATIONS, JSON.stringify(operations));
});
