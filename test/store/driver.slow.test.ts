import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openConnection } from '#store/sqlite/driver.ts';
import { tempDir } from '../support/temp.ts';

const root = resolve(import.meta.dirname, '../..');
const isNode20 = process.versions.node.startsWith('20.');
const driver = isNode20 ? 'better-sqlite3' : 'better-sqlite3-13';

test('the driver is the package for this version of Node', () => {
  const db = openConnection(':memory:');
  const [major, minor] = (db.prepare('select sqlite_version()').pluck().get() as string).split('.').map(Number);
  db.close();
  expect([major, minor]).toEqual(isNode20 ? [3, 53] : [3, 54]);
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules', driver, 'package.json'), 'utf8')) as {
    version: string;
  };
  expect(version).toMatch(isNode20 ? /^12\./ : /^13\./);
});

test('an installation without the driver says which package is missing, and how to install it', () => {
  const folder = tempDir();
  for (const name of ['bin', 'dist', 'migrations', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(folder, 'bin/trawl.js'), ...args], { cwd: folder, encoding: 'utf8', env: {} });
  expect(run('--version').status).toBe(0);
  const missing = `SQLite (${driver}) does not load on Node ${process.version}: Cannot find module '${driver}'`;
  const world = run('twin', 'world', 'create', '--users', '2', '--db', 'a.db');
  expect(world.status).toBe(1);
  expect(world.stderr).toContain(missing);
  expect(world.stderr).toMatch(isNode20 ? /npm rebuild better-sqlite3/ : /--omit=optional/);
  const { findings } = JSON.parse(run('doctor', '--json').stdout) as { findings: Record<string, string>[] };
  expect(findings[0]).toMatchObject({ check: 'node', status: 'wrong', message: expect.stringContaining(missing) });
});
