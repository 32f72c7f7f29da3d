import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { buildChildEnvironment } from '../../src/config.ts';
import { tempDir } from '../support/temp.ts';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(resolve(root, 'docs/twin.md'), 'utf8');

/** A port that nobody has. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('the commands of docs/twin.md create, serve, crawl, step and query a world', { timeout: 120_000 }, async () => {
  const [, block] = /^## Try it on a world of your own\n+```sh\n([^]*?)```/m.exec(page)!;
  const port = await freePort();
  const script = block!
    .replaceAll('npx trawl', `"${process.execPath}" "${root}/bin/trawl.js"`)
    .replace(/serve --db \S+/, `$& --listen 127.0.0.1:${port}`)
    .replaceAll(':8801', `:${port}`);
  const ran = promisify(execFile)('bash', ['-s'], { cwd: tempDir(), env: buildChildEnvironment() });
  // A shell that reads what was pasted from its terminal leaves the rest of it there for the commands that it runs.
  ran.child.stdin!.end(`set -e\ntrap 'kill %1' EXIT\n${script}`);
  const { stdout } = await ran;
  expect(stdout).toMatch(/^followers +HarbourNews +complete /m);
  expect(stdout).toMatch(/^screen_name +followers_count\n[─ ]+\nHarbourNews +\d+\n(.*\n){4}/m);
  expect(stdout).toMatch(/^change +edges\n[─ ]+\ncame +[1-9]\d*\nwent +[1-9]\d*$/m);
});
