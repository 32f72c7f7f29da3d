import { spawnSync } from 'node:child_process';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir, tempFile } from '../support/temp.ts';

const root = resolve(import.meta.dirname, '../..');

/** A registry with one version of one package. */
async function serveRegistry(): Promise<string> {
  const server = createServer(({ url }, response) => {
    const isKnown = url?.startsWith('/tool-for-darwin');
    const manifest = { name: 'tool-for-darwin', version: '1.0.0', license: 'MIT', dist: { integrity: 'sha512-abc' } };
    response.statusCode = isKnown ? 200 : 404;
    response.end(JSON.stringify(isKnown ? { name: manifest.name, versions: { '1.0.0': manifest } } : {}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('npm run lockfile adds what the registry has, and names the rest', async () => {
  const registry = await serveRegistry();
  const file = tempFile('package-lock.json');
  const other = { version: '2.0.0', integrity: 'sha512-def', license: 'ISC' };
  const lock = {
    name: 'x',
    packages: {
      '': { name: 'x' },
      'node_modules/a/node_modules/tool-for-darwin': { version: '1.0.0', optional: true, os: ['darwin'] },
      'node_modules/@b/tool-for-mars': { version: '1.0.0', optional: true },
      'node_modules/js-redis-server': { ...other, engines: { node: '>=22' } },
      'node_modules/better-sqlite3': { ...other, engines: { node: '20.x || 22.x' } },
      'node_modules/other': { ...other, engines: { node: '>=18' } },
    },
  };
  writeFileSync(file, JSON.stringify(lock));
  const env = {
    PATH: process.env['PATH'], // oxlint-disable-line node/no-process-env -- npm is on it
    HOME: tempDir(),
    npm_config_registry: registry,
    npm_config_cache: tempDir(),
    npm_config_fetch_retries: '0',
  };
  const run = promisify(execFile)(process.execPath, ['--import', 'tsx', 'scripts/lock-file.ts', file], {
    cwd: root,
    env,
  });
  await expect(run).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^@b\/tool-for-mars@1\.0\.0: the registry has no integrity$/m),
  });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    ...lock,
    packages: {
      ...lock.packages,
      'node_modules/a/node_modules/tool-for-darwin': {
        version: '1.0.0',
        integrity: 'sha512-abc',
        license: 'MIT',
        optional: true,
        os: ['darwin'],
      },
      'node_modules/js-redis-server': other,
      'node_modules/better-sqlite3': { ...other, engines: { node: '<22' } },
    },
  });
});

test('npm ci warns of no package that asks for another Node', () => {
  // Reads the lock file, and installs nothing.
  const dry = spawnSync('npm', ['ci', '--dry-run', '--ignore-scripts', '--offline'], { cwd: root, encoding: 'utf8' });
  expect(dry.stderr).not.toMatch(/EBADENGINE/);
  expect(dry.status, dry.stderr).toBe(0);
});
