import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runCli, failure } from '../support/cli.ts';
import { temporaryFile, temporaryStore, verifierOf } from '../twin/support.ts';

const keys = (...args: string[]) => runCli(['twin', 'keys', ...args]);

/** A store that is there. */
function storeFile(): string {
  const file = temporaryFile();
  temporaryStore(file);
  return file;
}

test('twin keys create prints the key alone on stdout, with the limit and the window asked for', async () => {
  const file = storeFile();
  const options = '--name canary --quota 50 --quota-window 20s'.split(' ');
  const { stdout, stderr, code } = await keys('create', '--db', file, ...options);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^trawl_[\w-]{43}\n$/) });
  expect(stderr).toContain('50 requests per 20 s');
  expect(stderr).not.toContain(stdout.trim());
  expect(verifierOf(temporaryStore(file))(stdout.trim())).toMatchObject({
    name: 'canary',
    limit: 50,
    windowMs: 20_000,
  });
});

test('twin keys list and revoke show id, name and prefix of keys, never the key', async () => {
  const file = storeFile();
  const { key } = JSON.parse((await keys('create', '--db', file, '--json')).stdout) as { key: string };
  const table = (await keys('list', '--db', file)).stdout;
  expect(table).toContain(`${key.slice(0, 12)}…`);
  expect(table).not.toContain(key);

  expect(await keys('revoke', '1', '--db', file)).toMatchObject(failure(0, 'is revoked'));
  const revoked = { id: 1, name: 'default', prefix: key.slice(0, 12), limit: 1000, windowMs: 900_000 };
  expect(JSON.parse((await keys('list', '--db', file, '--json')).stdout)).toEqual({
    keys: [{ ...revoked, createdAt: expect.any(String), revokedAt: expect.any(String) }],
  });
  expect(verifierOf(temporaryStore(file))(key)).toBeUndefined();
});

test('an empty limit and an empty window are refused', async () => {
  const file = temporaryFile();
  expect((await keys('create', '--db', file, '--quota', '0')).stderr).toContain('a whole number of at least 1');
  expect((await keys('create', '--db', file, '--quota-window', '0s')).stderr).toContain('such as 20s');
  expect(existsSync(file)).toBe(false);
});
