import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createVerifier } from '../../src/twin/quota/keys.ts';
import { temporaryFile, temporaryStore } from '../twin/support.ts';

const RUN = "import { keysCommand } from './src/cli/keys/command.ts'; await keysCommand().parseAsync();";

/** Runs `trawl keys …` in a process of its own, as its standard output matters. */
function keys(...args: string[]) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', RUN, '--', ...args],
    {
      encoding: 'utf8',
    },
  );
  return { stdout, stderr, status };
}

/** A store that is there. */
function storeFile(): string {
  const file = temporaryFile();
  temporaryStore(file);
  return file;
}

test('keys create prints the key alone on stdout, with the limit and the window asked for', () => {
  const file = storeFile();
  const { stdout, stderr, status } = keys(
    'create',
    '--db',
    file,
    '--name',
    'canary',
    '--limit',
    '50',
    '--window',
    '20s',
  );
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^trawl_[\w-]{43}\n$/) });
  expect(stderr).toContain('50 requests per 20 s');
  expect(stderr).not.toContain(stdout.trim());
  const verify = createVerifier(temporaryStore(file));
  expect(verify(stdout.trim())).toMatchObject({ name: 'canary', limit: 50, windowMs: 20_000 });
});

test('keys list and revoke show keys by id, name and beginning, and never the key', () => {
  const file = storeFile();
  const key = keys('create', '--db', file).stdout.trim();
  const table = keys('list', '--db', file).stdout;
  expect(table).toContain(`${key.slice(0, 12)}…`);
  expect(table).not.toContain(key);

  expect(keys('revoke', '1', '--db', file)).toMatchObject({
    status: 0,
    stdout: '',
    stderr: expect.stringContaining('is revoked'),
  });
  const {
    keys: [listed],
  } = JSON.parse(keys('list', '--db', file, '--json').stdout);
  expect(listed).toEqual({
    id: 1,
    name: 'default',
    prefix: key.slice(0, 12),
    limit: 1000,
    windowMs: 900_000,
    createdAt: expect.any(String),
    revokedAt: expect.any(String),
  });
  expect(createVerifier(temporaryStore(file))(key)).toBeUndefined();
});

test.each([['create'], ['list'], ['revoke', '1']])('keys %s does not make a database that is not there', (...args) => {
  const file = temporaryFile();
  expect(keys(...args, '--db', file)).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining(`there is no database ${file}`),
  });
  expect(existsSync(file)).toBe(false);
});

test('a limit of nothing and a window of nothing are refused', () => {
  const file = temporaryFile();
  expect(keys('create', '--db', file, '--limit', '0').stderr).toContain('a whole number of at least 1');
  expect(keys('create', '--db', file, '--window', '0s').stderr).toContain('longer than 0');
  expect(existsSync(file)).toBe(false);
});
