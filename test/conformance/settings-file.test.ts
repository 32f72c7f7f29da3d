import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { runProcess } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';
import { KEY, serveData } from './scripted-service.ts';

const DATA = { accounts: [{ id: '1', handle: 'anna' }] };
const CRAWL = ['crawl', 'profile', 'anna', '--json'];

/** A new folder with a `.env` file of these lines. */
function folderWith(...lines: string[]): string {
  const cwd = tempDir();
  writeFileSync(join(cwd, '.env'), `${lines.join('\n')}\n`, { mode: 0o600 });
  return cwd;
}

/** A program that is called as redis-server is, and leaves a mark. */
function plantProgram(folder: string, lines: string): void {
  const file = join(folder, 'redis-server');
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o755);
}

test('an address and a key from the .env file are used', async () => {
  const service = await serveData(DATA);
  const cwd = folderWith(`TRAWL_API_URL=${service.url}`, `TRAWL_API_KEY=${KEY}`, 'TRAWL_DB=mine.db');

  const { code, stderr } = await runProcess(CRAWL, { cwd });

  expect(code, stderr).toBe(0);
  expect(existsSync(join(cwd, 'mine.db'))).toBe(true);
});

test('a key from the .env file is used with an address from the environment', async () => {
  const service = await serveData(DATA);

  const { code, stderr } = await runProcess(CRAWL, {
    cwd: folderWith(`TRAWL_API_KEY=${KEY}`),
    env: { TRAWL_API_URL: service.url },
  });

  expect(code, stderr).toBe(0);
});

test.each([['crawl', 'profile', 'anna'], ['quota'], ['doctor'], ['work', '--exit-when-idle']])(
  'an address from the .env file gets no key from the environment: trawl %s',
  async (...args) => {
    const stranger = await serveData(DATA);

    const { code, stdout, stderr } = await runProcess(args, {
      cwd: folderWith(`TRAWL_API_URL=${stranger.url}`),
      env: { TRAWL_API_KEY: KEY },
    });

    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(/\.env/);
    expect(stdout + stderr).not.toContain(KEY);
    expect(stranger.calls).toEqual([]);
  },
);

test('a .env file sets only variables of trawl: no search path, no loader, no options of Node', async () => {
  const service = await serveData(DATA);
  const cwd = folderWith();
  const mark = join(cwd, 'mark');
  plantProgram(cwd, `touch '${mark}'; exit 1`);
  writeFileSync(join(cwd, 'evil.cjs'), `require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`);
  const lines = [
    `PATH=${cwd}`,
    'LD_PRELOAD=/nonexistent/evil.so',
    `NODE_OPTIONS=--require=${join(cwd, 'evil.cjs')}`,
    'NODE_TLS_REJECT_UNAUTHORIZED=0',
    'TRAWL_DB=mine.db',
  ];
  writeFileSync(join(cwd, '.env'), `${lines.join('\n')}\n`);

  const { code, stdout, stderr } = await runProcess(CRAWL, { cwd, env: service.env });

  expect(code, stderr).toBe(0);
  expect(existsSync(mark)).toBe(false);
  expect(stdout + stderr).not.toMatch(/preload|NODE_TLS_REJECT_UNAUTHORIZED' environment/);
  expect(existsSync(join(cwd, 'mine.db'))).toBe(true);
});

// oxlint-disable-next-line node/no-process-env -- where programs are found
const folders = (process.env['PATH'] ?? '').split(delimiter);
const redisServer = folders.map((folder) => join(folder, 'redis-server')).find((file) => existsSync(file));

test('the Redis that trawl starts gets neither the key nor foreign variables', async () => {
  const service = await serveData(DATA);
  const cwd = tempDir();
  const actual = join(cwd, 'environment');
  plantProgram(cwd, `env >> '${actual}'\nexec '${redisServer}' "$@"`);
  const env = { ...service.env, PATH: [cwd, ...folders].join(delimiter), SECRET_OF_ANOTHER: 'another-secret' };

  const { code, stderr } = await runProcess(CRAWL, { cwd, env });

  expect(code, stderr).toBe(0);
  const environment = readFileSync(actual, 'utf8');
  expect(environment).toMatch(/^PATH=/m);
  expect(environment).not.toContain(KEY);
  expect(environment).not.toContain('another-secret');
});
