import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { newStore } from '../../store/support.ts';
import { runCli, runSuccessfully, spawnCli } from '../../support/cli.ts';
import { tempDir } from '../../support/temp.ts';
import { askLake, openLake } from '../lake.ts';
import { addLake, storePages } from '../shipped-store.ts';
import { downloadLake, startS3Server } from './s3-server.ts';

const LAKE = 's3://lake/of/all';
/** All facts but those about shipping itself. */
const FACTS = ['user_sightings', 'tweet_sightings', 'edge_sightings', 'list_snapshots', 'requests', 'steps', 'crawls'];

/** The facts of a lake, without the numbers of their entries. */
function factsOf(lake: string): unknown[] {
  const ask = openLake(lake);
  return FACTS.map((table) =>
    ask(`select * from ${table}`)
      .map((row) => row.join())
      .toSorted(),
  );
}

test('a bucket has the same facts as a folder, of all stores, and status lists them', async () => {
  const { env } = await startS3Server();
  const folder = tempDir();
  const [one, other] = [newStore(), newStore()];
  for (const store of [one, other]) {
    await runSuccessfully(['lake', 'add', `${LAKE}/`, '--db', store.path], { env });
    addLake(store.path, folder);
    await storePages(store, '1', 100);
    for (const target of [LAKE, folder])
      await runSuccessfully(['lake', 'ship', target, '--once', '--db', store.path], { env });
    await storePages(store, '2', 200);
    for (const target of [LAKE, folder])
      await runSuccessfully(['lake', 'ship', target, '--once', '--db', store.path], { env });
  }
  const downloaded = await downloadLake(LAKE, env);
  expect(factsOf(downloaded)).toEqual(factsOf(folder));
  expect(askLake(downloaded, 'select count(*) > 30 from edge_sightings')).toEqual([[1]]);

  const { stdout } = await runCli(['lake', 'status', '--json', '--db', other.path], { env });
  const { targets } = JSON.parse(stdout) as { targets: { address: string; stores: { store: string }[] }[] };
  const shipped = targets.find(({ address }) => address === LAKE)!;
  expect(shipped.stores.map(({ store }) => store)).toEqual([one.id, other.id].toSorted());
});

test('while the service is out, facts wait; when it answers again, all of them arrive once', async () => {
  const server = await startS3Server();
  const { env } = server;
  const store = newStore();
  await runSuccessfully(['lake', 'add', LAKE, '--db', store.path], { env });
  await runSuccessfully(['lake', 'ship', '--once', '--db', store.path], { env });
  await storePages(store, '1', 100);
  await server.stop();
  const refused = await runCli(['lake', 'ship', '--once', '--db', store.path], { env });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('does not answer: connection refused') });

  const shipping = spawnCli(['lake', 'ship', '--db', store.path], { env });
  await shipping.waitForLine(/does not answer/);
  await storePages(store, '2', 200);
  const { stdout } = await runCli(['lake', 'status', '--json', '--db', store.path], { env });
  const { targets } = JSON.parse(stdout) as { targets: { waitingEntries: number; error: string }[] };
  expect(targets[0]!.waitingEntries).toBeGreaterThan(5);
  expect(targets[0]!.error).toContain('does not answer');

  await server.start();
  // A batch is open again: when shipping is stopped, it is sealed.
  await expect.poll(() => listPartialFiles(store.path)).toContain('.jsonl.br');
  shipping.kill('SIGTERM');
  expect(await shipping.exited, shipping.lines.join('\n')).toBe(0);
  const lake = await downloadLake(LAKE, env);
  expect(
    askLake(lake, `select count(*), count(distinct owner_rest_id || ' ' || member_rest_id) from edge_sightings`),
  ).toEqual([[18, 18]]);
});

test('what the service refuses is said with what to do, and without keys', async () => {
  const { env } = await startS3Server();
  const store = newStore();
  const add = (target: string, more: Readonly<Record<string, string>> = {}) =>
    runCli(['lake', 'add', target, '--db', store.path], { env: { ...env, ...more } });
  const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
  const cases: [Awaited<ReturnType<typeof add>>, RegExp][] = [
    [await add('s3://missing/lake'), /there is no bucket missing at http.*\n.*Create it/],
    [
      await add(LAKE, { AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE' }),
      /does not know the access key\n.*AWS_ACCESS_KEY_ID/,
    ],
    [await add(LAKE, { AWS_SECRET_ACCESS_KEY: secret }), /refuses the secret key\n.*AWS_SECRET_ACCESS_KEY/],
    [await add(LAKE, { AWS_SECRET_ACCESS_KEY: '' }), /there are no AWS keys.*\n.*AWS_SECRET_ACCESS_KEY/],
    [await add(LAKE, { AWS_ENDPOINT_URL: 'ftp://127.0.0.1' }), /AWS_ENDPOINT_URL should be/],
    [await add(`s3://S3RVER:${secret}@lake/x`), /must be an address such as s3:\/\/bucket\/prefix/],
    [await add('s3://lake/a*b'), /must be an address such as/],
    [await add('s3://lake/a/../b'), /must be an address such as/],
    [
      await add(LAKE, { AWS_ENDPOINT_URL: await startRefusingServer('AccessDenied', 403) }),
      /the access key has no right to s3:\/\/lake\/of\/all\n.*s3:PutObject/,
    ],
    [
      await add(LAKE, { AWS_ENDPOINT_URL: await startRefusingServer('RequestTimeTooSkewed', 403) }),
      /the clock of this machine differs/,
    ],
    [
      await add(LAKE, { AWS_ENDPOINT_URL: await startRefusingServer('ExpiredToken', 400) }),
      /the session of the access key has ended/,
    ],
    [
      await add(LAKE, { AWS_ENDPOINT_URL: await startRefusingServer('SlowDown', 503) }),
      /does not answer: SlowDown 503/,
    ],
  ];
  for (const [{ code, stdout, stderr }, message] of cases) {
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/wJalr|AKIA|S3RVER/);
    expect([1, 2]).toContain(code);
    expect(stdout).toBe('');
  }
  // Nothing was added, and no key is in the file.
  expect((await runCli(['lake', 'status', '--json', '--db', store.path])).stdout).toContain('"targets": []');
  await runSuccessfully(['lake', 'add', LAKE, '--db', store.path], { env });
  expect(readFileSync(store.path).includes('S3RVER')).toBe(false);
});

/** Returns the address of a service that refuses everything with one code. */
async function startRefusingServer(code: string, status: number): Promise<string> {
  const refuse: RequestListener = (request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(
      `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message><AWSAccessKeyId>S3RVER</AWSAccessKeyId></Error>`,
    );
  };
  const server = createServer(refuse).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The names of the files that wait for their upload, as text. */
const listPartialFiles = (path: string): string => {
  const folder = `${path}.shipping-1`;
  return existsSync(folder) ? readdirSync(folder).join(' ') : '';
};
