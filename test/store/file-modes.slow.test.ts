import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { buildChildEnvironment } from '#config.ts';
import { tempDir } from '../support/temp.ts';

const bin = resolve(import.meta.dirname, '../../bin/trawl.js');

/** `trawl` in a shell whose umask removes no permissions. */
const inShell = (args: string): string[] => ['-c', `umask 000; exec "${process.execPath}" "${bin}" ${args}`];
const trawl = (cwd: string, args: string): void =>
  void execFileSync('sh', inShell(args), { cwd, env: buildChildEnvironment(), stdio: 'ignore' });

/** Runs a twin, and calls `check` while it serves. */
async function whileServed(cwd: string, check: () => void): Promise<void> {
  const child = spawn('sh', inShell('twin serve --db world.db --listen 127.0.0.1:0'), {
    cwd,
    env: buildChildEnvironment(),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stderr);
  const exited = once(child, 'exit');
  for await (const line of lines) if (line.includes('http://')) break;
  check();
  child.kill('SIGTERM');
  await exited;
}

const modes = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
  );

test('all files of a store are private to its owner with any umask', async () => {
  const cwd = tempDir();
  trawl(cwd, 'twin world create --users 50 --db world.db');
  expect(modes(cwd)).toEqual({ 'world.db': '600' });
  await whileServed(cwd, () => {
    const found = modes(cwd);
    expect(Object.keys(found)).toEqual(expect.arrayContaining(['world.db', 'world.db-quota', 'world.db-quota-wal']));
    expect(new Set(Object.values(found))).toEqual(new Set(['600']));
  });
});

test.each([
  ['has the permissions of a store that is shared with a group', '640', (db: string) => chmodSync(db, 0o640)],
  ['becomes private', '600', (db: string) => writeFileSync(`${db}-quota`, '', { mode: 0o644 })],
])('the quota file of a twin %s', async (_, mode, prepare) => {
  const cwd = tempDir();
  trawl(cwd, 'twin world create --users 50 --db world.db');
  prepare(join(cwd, 'world.db'));
  await whileServed(cwd, () => expect(modes(cwd)['world.db-quota']).toBe(mode));
});
