import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { describeError } from '#base/errors.ts';
import { buildChildEnvironment } from '#config.ts';
import { connectToExisting } from '#crawl/queue/redis/connect-existing.ts';
import { startRedis } from '#crawl/queue/redis/start-redis.ts';
import { runCli } from '../support/cli.ts';
import { findFreePort } from '../support/free-port.ts';
import { startRedisProcess } from '../support/redis-process.ts';
import { tempFile } from '../support/temp.ts';

const use = (redisUrl: string) =>
  startRedis({ environment: buildChildEnvironment(), storePath: tempFile('trawl.db'), redisUrl }).then(
    async (engine) => await engine[Symbol.asyncDispose](),
  );

async function command(url: string, ...words: [string, ...string[]]): Promise<unknown> {
  const redis = new Redis(url.replace('unix://', ''));
  const answer = await redis.call(...words);
  redis.disconnect();
  return answer;
}

describe('REDIS_URL', () => {
  test('of a read-only replica is refused for workers with a hint, and works for reading', async () => {
    const port = String(await findFreePort());
    const primary = await startRedisProcess({ port });
    const replica = await startRedisProcess({ replicaof: `127.0.0.1 ${port}` });
    await expect(use(primary.url)).resolves.toBeUndefined();
    await expect(use(replica.url)).rejects.toMatchObject({
      message: expect.stringContaining('(REDIS_URL): this Redis is a read-only replica; trawl needs the primary'),
      hint: 'Set REDIS_URL to the primary.',
    });
    const existing = await connectToExisting({ redisUrl: replica.url, storePath: tempFile('trawl.db') });
    await existing![Symbol.asyncDispose]();

    const env = { REDIS_URL: replica.url, TRAWL_DB: tempFile('mine.db') };
    const { code, stdout } = await runCli(['doctor'], { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/✗ redis .*read-only replica/) });
    const { stderr } = await runCli(['enqueue', 'profile', 'nasa'], { env });
    expect(stderr).toContain('this Redis is a read-only replica');
    expect(stderr).not.toContain('READONLY');
  });

  test("of a user without write permission is refused with the server's message", async () => {
    const { url } = await startRedisProcess();
    await command(url, 'ACL', 'SETUSER', 'reader', 'on', '>s3cret', '~*', '+@read', '+@connection', '+info');
    const refusal = use(url.replace('unix://', 'unix://reader:s3cret@localhost'));
    await expect(refusal).rejects.toMatchObject({
      message: expect.stringMatching(/lacks a permission \(ACL\): .*'set' command/),
      hint: expect.stringContaining('ACL SETUSER'),
    });
  });

  test('with the user that the hint names works and leaves no key behind', async () => {
    const { url } = await startRedisProcess();
    const words = '~trawl:* ~{trawl-* &trawl:* +@all -@dangerous +info +client'.split(' ');
    await command(url, 'ACL', 'SETUSER', 'trawl', 'on', '>s3cret', ...words);
    await use(url.replace('unix://', 'unix://trawl:s3cret@localhost'));
    expect(await command(url, 'DBSIZE')).toBe(0);
  });

  test('whose memory is full is refused', async () => {
    const { url } = await startRedisProcess({ maxmemory: '100kb', 'maxmemory-policy': 'noeviction' });
    await expect(use(url)).rejects.toThrow('the memory of this Redis is full (maxmemory)');
  });

  test('with TLS of a server without TLS is reported', async () => {
    const port = await findFreePort();
    await startRedisProcess({ port: String(port) });
    await expect(use(`rediss://127.0.0.1:${port}`)).rejects.toMatchObject({
      hint: expect.stringMatching(/^It may not speak TLS: then REDIS_URL begins with redis\./),
    });
  });
});

test('REDIS_URL of an HTTP server is reported', async () => {
  const server = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  await expect(use(`redis://127.0.0.1:${port}`)).rejects.toMatchObject({
    message: `cannot use Redis at 127.0.0.1:${port} (REDIS_URL): an HTTP server responds there`,
    hint: expect.stringContaining('port of another program'),
  });
});

test('later errors of Redis are reported without codes', () => {
  const refusal = new Error("READONLY You can't write against a read only replica. script: 5ab4, on @user_script:589.");
  expect(describeError(refusal)).toBe('this Redis is a read-only replica; trawl needs the primary');
});

test.each([24, 48])('a limit of %i open files is reported with a hint', (limit) => {
  const bin = new URL('../../bin/trawl.js', import.meta.url).pathname;
  const script = `ulimit -n ${limit}; exec "${process.execPath}" "${bin}" crawl profile nasa --db "${tempFile('mine.db')}"`;
  const env = { ...buildChildEnvironment(), TRAWL_API_URL: 'http://127.0.0.1:9', TRAWL_API_KEY: 'k' };
  const { status, stderr } = spawnSync('sh', ['-c', script], { env, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'trawl: too many open files: this process may open more after `ulimit -n 1024`\n',
  });
});
