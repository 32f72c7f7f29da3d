import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Queue, QueueEvents, Worker } from 'bullmq';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLog, type Log } from '#base/log.ts';
import { buildChildEnvironment } from '#config.ts';
import { parseRedisUrl } from '#crawl/queue/redis/parse-redis-url.ts';
import { resolveRuntimeFiles } from '#crawl/queue/redis/runtime-dir.ts';
import { type RedisSource, startRedis, type StartRedisOptions } from '#crawl/queue/redis/start-redis.ts';
import { tryFileLock } from '#store/sqlite/file-lock.ts';
import { runCli } from '../support/cli.ts';
import type { LocalRedis } from '../support/redis.ts';
import { tempDir, tempFile } from '../support/temp.ts';

const root = resolve(import.meta.dirname, '../..');

/** The Redis of a new store, unless the options name another one. */
const startWith = async (options: Partial<StartRedisOptions>): Promise<LocalRedis> =>
  (await startRedis({
    environment: buildChildEnvironment(),
    storePath: tempFile('trawl.db'),
    ...options,
  })) as LocalRedis;

/** Starts a Redis that ends with the test unless the test ends it. */
async function start(storePath: string, source: RedisSource): Promise<LocalRedis> {
  const engine = await startWith({ storePath, allow: [source] });
  onTestFinished(() => engine[Symbol.asyncDispose]());
  return engine;
}

/** Another process that takes part until `end`. Resolves once it is in. */
async function startHolder(place: string, kind: RedisSource): Promise<ChildProcess & { end(): Promise<void> }> {
  const program = resolve(import.meta.dirname, 'redis-holder.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', program, place, kind], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(createInterface(child.stdout), 'line');
  const end = async (): Promise<void> => {
    child.stdin.end();
    await once(child, 'exit');
  };
  return Object.assign(child, { end });
}

/** A log that a test can read. */
function recordingLog(): { log: Log; messages: string[] } {
  const messages: string[] = [];
  const log = createLog({ level: 'silent' });
  const note = (first: unknown, message?: string): void => void messages.push(message ?? (first as string));
  return { log: Object.assign(log, { warn: note, info: note }), messages };
}

const kinds: readonly RedisSource[] = ['server', 'embedded'];

describe.each(kinds)('the %s engine', (kind) => {
  test('runs a BullMQ job from end to end', async () => {
    const engine = await start(tempFile('trawl.db'), kind);
    const connection = engine.connection;
    await using events = closing(new QueueEvents('q', { connection }));
    await using queue = closing(new Queue('q', { connection }));
    await using _worker = closing(new Worker('q', async (job) => job.data.number + 1, { connection }));
    await events.waitUntilReady();
    const job = await queue.add('add', { number: 41 });
    expect(await job.waitUntilFinished(events)).toBe(42);
  });

  test('starts empty after it was stopped', async () => {
    const place = tempFile('trawl.db');
    const first = await start(place, kind);
    await first.connect().set('key', 'value');
    await first[Symbol.asyncDispose]();
    const second = await start(place, kind);
    expect(await second.connect().get('key')).toBeNull();
  });

  test('replaces the socket that a dead server left', async () => {
    const place = tempFile('trawl.db');
    const files = resolveRuntimeFiles(place);
    writeFileSync(kind === 'server' ? files.socket : files.embeddedSocket, '');
    const engine = await start(place, kind);
    expect(await engine.connect().ping()).toBe('PONG');
  });

  test('is private to the user: no port, and a directory that nobody else can enter', async () => {
    const engine = await start(tempFile('trawl.db'), kind);
    expect(engine.connection).toEqual({ path: expect.stringContaining('/trawl-'), maxRetriesPerRequest: null });
    expect(Buffer.byteLength(engine.connection.path)).toBeLessThan(100);
    expect(statSync(dirname(engine.connection.path)).mode & 0o777).toBe(0o700);
  });

  test('can be stopped while its Redis is unreachable', async () => {
    const engine = await start(tempFile('trawl.db'), kind);
    const client = engine.connect();
    await client.ping();
    const lost = once(client, 'reconnecting');
    client.disconnect(true);
    await lost;
    await expect(engine[Symbol.asyncDispose]()).resolves.toBeUndefined();
  });

  test('closes remaining clients when it is stopped', async () => {
    const engine = await start(tempFile('trawl.db'), kind);
    const client = engine.connect();
    await client.ping();
    await engine[Symbol.asyncDispose]();
    expect(client.status).toBe('end');
  });
});

describe('a private redis-server', () => {
  test('is shared by the engines of one store with any spelling of its path', async () => {
    const directory = tempDir();
    mkdirSync(join(directory, 'real'));
    symlinkSync(join(directory, 'real'), join(directory, 'link'));
    const one = await start(join(directory, 'real', 'trawl.db'), 'server');
    const two = await start(join(directory, 'link', '..', 'link', 'trawl.db'), 'server');
    await one.connect().set('key', 'shared');
    expect(await two.connect().get('key')).toBe('shared');
    expect(two.description).toContain('joined');
  });

  test('listens only on its socket', async () => {
    const engine = await start(tempFile('trawl.db'), 'server');
    expect(await engine.connect().config('GET', 'port')).toEqual(['port', '0']);
  });

  test('inherits no key and nothing else that is not needed', async () => {
    const bin = tempDir();
    const seen = join(bin, 'seen');
    writeFileSync(join(bin, 'redis-server'), `#!/bin/sh\n/usr/bin/env > ${seen}\nexit 1\n`, { mode: 0o755 });
    const secrets = { TRAWL_API_KEY: 'k3y', LD_BIND_NOW: '1', NODE_OPTIONS: '--no-warnings', REDISCLI_AUTH: 's3cret' };
    await runCli(['doctor'], { env: { ...secrets, PATH: bin } });
    const names = readFileSync(seen, 'utf8')
      .split('\n')
      .flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
    // A shell sets more variables.
    const inherited = names.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name));
    expect(new Set(inherited)).toEqual(new Set(Object.keys(buildChildEnvironment())));
  });

  test('is not shared by two stores', async () => {
    const one = await start(tempFile('trawl.db'), 'server');
    const two = await start(tempFile('trawl.db'), 'server');
    await one.connect().set('key', 'mine');
    expect(await two.connect().get('key')).toBeNull();
  });

  test('is started once when many start at the same time', async () => {
    const place = tempFile('trawl.db');
    const engines = await Promise.all(Array.from({ length: 5 }, () => start(place, 'server')));
    const ids = await Promise.all(engines.map(runId));
    expect(new Set(ids).size).toBe(1);
    expect(engines.filter(({ description }) => description.includes('started'))).toHaveLength(1);
  });

  test('outlives the process that started it, and the last user stops it', async () => {
    const place = tempFile('trawl.db');
    const holder = await startHolder(place, 'server');
    const engine = await start(place, 'server');
    const client = engine.connect();
    const server = await serverPid(engine);
    await client.set('key', 'value');
    await holder.end();
    expect(await client.get('key')).toBe('value');
    await engine[Symbol.asyncDispose]();
    expect(existsSync(resolveRuntimeFiles(place).socket)).toBe(false);
    await expect.poll(() => isRunning(server)).toBe(false);
  });

  test('is adopted after the process that started it was killed, and then stopped', async () => {
    const place = tempFile('trawl.db');
    const holder = await startHolder(place, 'server');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    const engine = await start(place, 'server');
    expect(engine.description).toContain('joined');
    const server = await serverPid(engine);
    await engine[Symbol.asyncDispose]();
    await expect.poll(() => isRunning(server)).toBe(false);
  });

  test('that is killed while in use is restarted, and clients reconnect by themselves', async () => {
    const { log, messages } = recordingLog();
    await using engine = await startWith({ allow: ['server'], log });
    const clients = [engine.connect(), engine.connect()];
    await Promise.all(clients.map((client) => client.ping()));
    const killed = await serverPid(engine);
    const closed = clients.map((client) => once(client, 'close'));
    process.kill(killed, 'SIGKILL');
    await Promise.all(closed);
    expect(await Promise.all(clients.map((client) => client.ping()))).toEqual(['PONG', 'PONG']);
    expect(await serverPid(engine)).not.toBe(killed);
    expect(messages).toContain('the private redis-server is gone; starting another');
  });

  test('that was killed does not remain if a process ends while another one starts it', async () => {
    const { log, messages } = recordingLog();
    const place = tempFile('trawl.db');
    await using engine = await startWith({ storePath: place, allow: ['server'], log });
    process.kill(await serverPid(engine), 'SIGKILL');
    await expect.poll(() => messages, { interval: 1 }).toContain('the private redis-server is gone; starting another');
    await engine[Symbol.asyncDispose]();
    expect(existsSync(resolveRuntimeFiles(place).socket)).toBe(false);
  });

  test('that has just died need not be stopped', async () => {
    const engine = await start(tempFile('trawl.db'), 'server');
    process.kill(await serverPid(engine), 'SIGKILL');
    await expect(engine[Symbol.asyncDispose]()).resolves.toBeUndefined();
  });
});

describe('the built-in engine', () => {
  test('is for one process at a time: a second one gets an error with a hint', async () => {
    const place = tempFile('trawl.db');
    const holder = await startHolder(place, 'embedded');
    await expect(startWith({ storePath: place, allow: ['embedded'] })).rejects.toMatchObject({
      message: `another trawl process (pid ${holder.pid}) is using this database with the built-in queue`,
      hint: 'Wait until it ends. For several processes at once install redis-server, or set REDIS_URL.',
    });
  });

  test('is free as soon as its process is killed', async () => {
    const place = tempFile('trawl.db');
    const holder = await startHolder(place, 'embedded');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    const engine = await start(place, 'embedded');
    expect(await engine.connect().ping()).toBe('PONG');
  });
});

describe('REDIS_URL', () => {
  test('has priority, and can be shared with other programs', async () => {
    const host = await start(tempFile('host.db'), kinds[0]!);
    await using engine = await startWith({ redisUrl: `unix://${host.connection.path}?db=1` });
    expect(engine.source).toBe('url');
    await engine.connect().set('key', 'value');
    const other = host.connect();
    await other.select(1);
    expect(await other.get('key')).toBe('value');
  });

  test.each([
    [
      'nothing listens',
      'redis://someone:s3cret@127.0.0.1:1/0',
      'cannot use Redis at 127.0.0.1:1 (REDIS_URL): connection refused',
    ],
    [
      'the socket is missing',
      'unix:///nowhere/redis.sock',
      'cannot use Redis at /nowhere/redis.sock (REDIS_URL): connect ENOENT /nowhere/redis.sock',
    ],
  ])('is refused at once when %s, without its password', async (_why, redisUrl, message) => {
    const refusal = startWith({ redisUrl });
    await expect(refusal).rejects.toMatchObject({
      message,
      hint: 'Start it or correct REDIS_URL; without REDIS_URL trawl brings its own.',
    });
  });

  test('is refused when it has no such database', async () => {
    const host = await start(tempFile('host.db'), kinds[0]!);
    const redisUrl = `unix://${host.connection.path}?db=99`;
    await expect(startWith({ redisUrl })).rejects.toThrow('DB index is out of range');
  });

  test.each([
    ['speaks HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['hangs up', undefined],
    ['echoes a password', '-ERR s3cret is wrong\r\n-ERR s3cret is wrong\r\n'],
    ['never answers', ''],
  ])('is refused within seconds when the server %s', async (_what, answer) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      if (answer === undefined) socket.end();
      else socket.write(answer);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const refusal = startWith({ redisUrl: `redis://:s3cret@127.0.0.1:${port}` });
    await expect(refusal).rejects.toThrow(`cannot use Redis at 127.0.0.1:${port}`);
    await expect(refusal).rejects.not.toThrow('s3cret');
  });

  test.each([
    ['redis://localhost', { host: 'localhost', port: 6379 }],
    ['redis://:p%40ss@10.0.0.1:7000/3', { host: '10.0.0.1', port: 7000, password: 'p@ss', db: 3 }],
    ['rediss://user:100%@[::1]:6380', { host: '::1', port: 6380, username: 'user', password: '100%', tls: {} }],
    ['unix:///run/redis%20x.sock?db=2', { path: '/run/redis x.sock', db: 2 }],
  ])('%s is understood', (url, options) => {
    expect(parseRedisUrl(url)).toEqual(options);
  });

  test.each(['redis://:s3cret@', 'redis://h:99999999/', 'redis://:s3cret@host/zero'])(
    '%s is a wrong address',
    (url) => {
      expect(() => parseRedisUrl(url)).toThrow(/^REDIS_URL (?!.*s3cret)/);
    },
  );
});

test('a lock has one holder at a time, also within a process', () => {
  const file = tempFile('lock');
  const first = tryFileLock(file);
  expect(first).toBeDefined();
  expect(tryFileLock(file)).toBeUndefined();
  first![Symbol.dispose]();
  using second = tryFileLock(file);
  expect(second).toBeDefined();
});

const closing = <T extends { close(): Promise<void> }>(it: T): T & AsyncDisposable =>
  Object.assign(it, { [Symbol.asyncDispose]: () => it.close() });

const serverPid = async (engine: LocalRedis): Promise<number> => Number(await infoOf(engine, 'process_id'));
const runId = (engine: LocalRedis): Promise<string> => infoOf(engine, 'run_id');

async function infoOf(engine: LocalRedis, field: string): Promise<string> {
  const info = await engine.connect().info('server');
  return new RegExp(`${field}:(\\S+)`).exec(info)?.[1] ?? '';
}

/** Whether a process runs: one that ended may stay listed until its parent takes notice. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return /^[^Z]/.test(stdout);
}
