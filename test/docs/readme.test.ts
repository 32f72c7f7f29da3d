import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { childEnvironment } from '../../src/config.ts';
import { tempDir } from '../support/temp.ts';

const root = resolve(import.meta.dirname, '../..');
const readme = readFileSync(resolve(root, 'README.md'), 'utf8');

/** A port that nobody has. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('what README.md says to paste makes a world, serves it, crawls it and asks about it', async () => {
  const [, block] = /^## Try it on a world of your own\n+```sh\n([^]*?)```/m.exec(readme)!;
  const port = await freePort();
  const script = block!
    .replaceAll('npx trawl', `"${process.execPath}" "${root}/bin/trawl.js"`)
    .replace(/serve --db \S+/, `$& --port ${port} --quiet`)
    .replace(':8801', `:${port}`);
  const { stdout } = await promisify(execFile)('bash', ['-c', `set -e\ntrap 'kill %1' EXIT\n${script}`], {
    cwd: tempDir(),
    env: childEnvironment(),
  });
  expect(stdout).toMatch(/^followers +harbournews +complete /m);
  expect(stdout).toMatch(/^screen_name +followers_count\n[─ ]+\nHarbourNews +\d+\n(.*\n){4}$/m);
});
