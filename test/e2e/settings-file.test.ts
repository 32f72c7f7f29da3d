import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProcess } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';
import { serve, withWorld } from './support.ts';

const world = withWorld(2, 7);
const CRAWL = ['crawl', 'search', 'moon', '--json'];

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
  const service = await serve(world);
  const cwd = folderWith(`TRAWL_API_URL=${service.url}`, `TRAWL_API_KEY=${service.key}`, 'TRAWL_DB=mine.db');

  const { code, stderr } = await runProcess(CRAWL, { cwd });

  expect(code, stderr).toBe(0);
  expect(existsSync(join(cwd, 'mine.db'))).toBe(true);
});

test.each([['crawl', 'search', 'moon'], ['doctor']])(
  'an address from the .env file gets no key from the environment: trawl %s',
  async (...args) => {
    const stranger = await serve(world);

    const { code, stdout, stderr } = await runProcess(args, {
      cwd: folderWith(`TRAWL_API_URL=${stranger.url}`),
      env: { TRAWL_API_KEY: stranger.key },
    });

    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(/\.env/);
    expect(stdout + stderr).not.toContain(stranger.key);
    expect(stranger.asked).toEqual([]);
  },
);

test('a .env file sets only variables of trawl: no search path, no loader, no options of Node', async () => {
  const service = await serve(world);
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

  const { TRAWL_API_URL, TRAWL_API_KEY } = service.env;
  const { code, stdout, stderr } = await runProcess(CRAWL, { cwd, env: { TRAWL_API_URL, TRAWL_API_KEY } });

  expect(code, stderr).toBe(0);
  expect(existsSync(mark)).toBe(false);
  expect(stdout + stderr).not.toMatch(/preload|NODE_TLS_REJECT_UNAUTHORIZED' environment/);
  expect(existsSync(join(cwd, 'mine.db'))).toBe(true);
});
