import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openStore, serve } from '#index.ts';
import { runCli } from '../support/cli.ts';
import { createStoreFile } from '../support/store-file.ts';

async function usePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  ['work --dashboard', '--dashboard'],
  ['work --listen', '--listen'],
  ['dashboard --listen', '--listen'],
  ['twin serve --listen', '--listen'],
])('trawl %s on a used port names the option that chooses another', async (command, option) => {
  const address = await usePort();
  const env = { TRAWL_API_URL: 'http://127.0.0.1:1', TRAWL_API_KEY: 'some-key' };
  const { code, stderr } = await runCli([...command.split(' '), address, '--db', createStoreFile()], { env });
  expect(code).toBe(1);
  expect(stderr).toContain(`cannot listen on ${address}: the port is in use`);
  expect(stderr).toContain(`Choose another with ${option}.`);
});

test('the library names its own options', async () => {
  await using store = openStore(createStoreFile());
  const port = Number((await usePort()).split(':')[1]);
  await expect(serve({ store, port })).rejects.toMatchObject({ hint: 'Choose another with host or port.' });
});
