import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildChildEnvironment } from '#config.ts';
import { openClient } from '#crawl/queue/redis/open-client.ts';
import { parseRedisUrl } from '#crawl/queue/redis/parse-redis-url.ts';
import type { ClusterConnection } from '#crawl/queue/redis/redis-backend.ts';
import { startRedis } from '#crawl/queue/redis/start-redis.ts';
import { countStates, peopleOf, serve, withWorld } from '../e2e/support.ts';
import { runCli, runDoctorCheck, runSuccessfully, spawnCli } from '../support/cli.ts';
import { GROUP, type RedisServer, startRedisServer, startSentinelGroup } from '../support/redis-topology.ts';
import { tempDir, tempFile } from '../support/temp.ts';

const world = withWorld(20, 5);
const PASSWORD = 's3cret/word';

const connect = (redisUrl: string) =>
  startRedis({ environment: buildChildEnvironment(), storePath: tempFile('trawl.db'), redisUrl });

/** Connects, writes, and returns the description of what was found. */
async function use(redisUrl: string): Promise<string> {
  await using redis = await connect(redisUrl);
  expect(await redis.connect().set('trawl:test', 'x', 'PX', 1000)).toBe('OK');
  return redis.description;
}

/** A cluster of one node. */
async function startNode(): Promise<RedisServer> {
  const node = await startRedisServer({
    'cluster-enabled': 'yes',
    'cluster-config-file': 'nodes.conf',
    'cluster-announce-ip': '127.0.0.1',
  });
  await node.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await expect.poll(() => node.client.cluster('INFO'), { timeout: 30_000 }).toContain('cluster_state:ok');
  return node;
}

/** Runs crawls with each command that uses Redis. */
async function crawlWith(REDIS_URL: string): Promise<void> {
  const service = await serve(world);
  const env = { ...service.env, REDIS_URL };
  const [first, ...others] = peopleOf(world, 5).map(({ handle }) => handle);
  await runSuccessfully(['enqueue', 'profile', ...others], { env });
  const host = spawnCli(['work', '--join'], { env });
  onTestFinished(() => host.kill('SIGKILL'));
  await host.waitForLine(/waiting for a host that shares its database/);
  await runSuccessfully(['work', '--share', '--exit-when-idle'], { env });
  host.kill('SIGTERM');
  expect(await host.exited, host.lines.join('\n')).toBe(0);
  await runSuccessfully(['crawl', 'profile', first!], { env });
  expect(countStates(service.db)).toEqual([{ state: 'complete', n: 5 }]);
  const { stdout } = await runSuccessfully(['status'], { env });
  expect(stdout).toMatch(/\nqueue {3}0 active, 0 waiting, 0 delayed; /);
  expect(stdout).toMatch(/\nquota .* left/);
}

describe('REDIS_URL', () => {
  test.each([
    [
      'redis+sentinel://user:p%40ss@a:1,[::1]:2,c/main/3?sentinel_password=q%26r',
      {
        sentinels: [
          {
            host: 'a',
            port: 1,
          },
          {
            host: '::1',
            port: 2,
          },
          {
            host: 'c',
            port: 26379,
          },
        ],
        name: 'main',
        db: 3,
        username: 'user',
        password: 'p@ss',
        sentinelPassword: 'q&r',
      },
    ],
    [
      'redis+cluster://:pw@10.0.0.1,10.0.0.2:7000',
      {
        nodes: [
          { host: '10.0.0.1', port: 6379 },
          { host: '10.0.0.2', port: 7000 },
        ],
        password: 'pw',
      },
    ],
    ['rediss://host?sni=other', { host: 'host', port: 6379, tls: { servername: 'other' } }],
  ])('%s is understood', (url, connection) => {
    expect(parseRedisUrl(url)).toEqual(connection);
  });

  test.each([
    ['redis://:s3cret@a:1,b:2', /several hosts/, /redis\+cluster:.*redis\+sentinel:/],
    ['redis+sentinel://:s3cret@a,b', /lacks the name of the group/, /mymaster/],
    ['redis+cluster://:s3cret@a/2', /only database 0/, /^$/],
    ['redis+cluster://:s3cret@a:99999', /a host or a port that is not one/, /Examples/],
    ['redis://:s3cret@a?cacert=/ca.pem', /the parameter cacert, which needs TLS/, /rediss:\/\/ in place of redis:\/\//],
    ['rediss://:s3cret@a?ssl_cert_reqs=none', /unknown parameter/, /cacert, cert, key, sni/],
    ['rediss://:s3cret@a?cert=/cert.pem', /cert of REDIS_URL cannot be read: \/cert.pem: /, /^$/],
    ['http://:s3cret@a', /not an address/, /Examples/],
  ])('%s is refused without its password', (url, message, hint) => {
    let error: unknown;
    try {
      parseRedisUrl(url);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ name: 'UsageError', message: expect.stringMatching(message) });
    expect((error as { hint?: string }).hint ?? '').toMatch(hint);
    expect(JSON.stringify([String(error), error])).not.toContain('s3cret');
  });
});

describe('a cluster', () => {
  test('serves all commands, and is refused as a server', { timeout: 60_000 }, async () => {
    const { port } = await startNode();
    const REDIS_URL = `redis+cluster://127.0.0.1:${port}`;
    expect(await use(REDIS_URL)).toBe(`the Redis Cluster of 127.0.0.1:${port} (REDIS_URL)`);
    await crawlWith(REDIS_URL);
    const { finding } = await runDoctorCheck(tempFile('mine.db'), 'redis', { env: { REDIS_URL } });
    expect(finding).toMatchObject({
      status: 'note',
      message: expect.stringMatching(/with 1 master, 1 without a replica: crawls wait/),
    });
    await expect(use(`redis://127.0.0.1:${port}`)).rejects.toMatchObject({
      message: expect.stringContaining('this is a node of a Redis Cluster'),
      hint: 'Write redis+cluster://host:port,host:port.',
    });
  });

  test('is connected to again at once, and leaves no connection behind', async () => {
    const { client: node, port } = await startNode();
    const connection = parseRedisUrl(`redis+cluster://127.0.0.1:${port}`) as ClusterConnection;
    const client = openClient(connection) as Cluster;
    const blocking = client.duplicate([], { redisOptions: { connectionName: 'blocking' } });
    const countConnections = async (): Promise<number> =>
      String(await node.call('CLIENT', 'LIST')).split(' name=blocking ').length - 1;
    for (let times = 0; times < 3; times += 1) {
      expect(await blocking.set('key', times)).toBe('OK');
      expect(await countConnections()).toBeGreaterThan(0);
      blocking.disconnect();
      await blocking.connect();
    }
    for (const each of [blocking, client]) each.disconnect();
    await expect.poll(countConnections).toBe(0);
  });

  test('that is down is refused within seconds', async () => {
    const { client, port } = await startNode();
    await client.call('CLUSTER', 'DELSLOTSRANGE', '0', '16383');
    await expect(use(`redis+cluster://127.0.0.1:${port}`)).rejects.toThrow(/^cannot use the Redis Cluster of 127/);
  });
});

describe('a Sentinel', () => {
  test('leads to the primary of its group', { timeout: 60_000 }, async () => {
    const { hosts } = await startSentinelGroup({ count: 1 });
    expect(await use(`redis+sentinel://${hosts}/${GROUP}`)).toBe(
      `Redis ${GROUP} of the Sentinels at ${hosts} (REDIS_URL)`,
    );
    await expect(use(`redis://${hosts}`)).rejects.toMatchObject({
      message: expect.stringContaining('this is a Sentinel'),
      hint: 'Write redis+sentinel://host:port,host:port/name.',
    });
    await expect(use(`redis+sentinel://${hosts}/other`)).rejects.toMatchObject({
      message: expect.stringMatching(/^cannot use Redis other of the Sentinels at /),
      hint: 'Correct the name of the group: the Sentinels do not know other.',
    });
    const env = { REDIS_URL: `redis+sentinel://${hosts}/${GROUP}` };
    const { finding } = await runDoctorCheck(tempFile('mine.db'), 'redis', { env });
    expect(finding).toMatchObject({ status: 'ok', message: expect.stringMatching(/with 1 replica$/) });
    await crawlWith(env.REDIS_URL);
  });

  test('with a password says what to write', { timeout: 60_000 }, async () => {
    const { hosts } = await startSentinelGroup({ count: 1, sentinelPassword: PASSWORD });
    const named = `redis+sentinel://${hosts}/${GROUP}`;
    await expect(use(named)).rejects.toMatchObject({ hint: expect.stringContaining('?sentinel_password=') });
    const wrong = use(`${named}?sentinel_password=${PASSWORD}0`);
    await expect(wrong).rejects.not.toThrow(PASSWORD);
    await use(`${named}?sentinel_password=${encodeURIComponent(PASSWORD)}`);
  });
});

describe('a server with TLS', () => {
  /** An authority, and certificates for 127.0.0.1 and for a name. */
  function createCertificates() {
    const folder = tempDir();
    const file = (name: string): string => join(folder, name);
    const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=test authority');
    for (const [name, subject] of [
      ['server', 'IP:127.0.0.1'],
      ['named', 'DNS:redis.internal'],
      ['client', 'DNS:trawl'],
    ]) {
      const signed = [
        '-CA',
        'ca.pem',
        '-CAkey',
        'ca.key',
        '-addext',
        `subjectAltName=${subject}`,
        '-subj',
        `/CN=${name}`,
      ];
      openssl('req', '-x509', ...key, ...signed, '-keyout', `${name}.key`, '-out', `${name}.pem`);
    }
    return file;
  }

  test('needs its authority, its name and a client certificate', { timeout: 60_000 }, async () => {
    const file = createCertificates();
    const start = (name: string, clients: string) =>
      startRedisServer((port) => ({
        port: '0',
        'tls-port': String(port),
        'tls-auth-clients': clients,
        requirepass: PASSWORD,
        'tls-ca-cert-file': file('ca.pem'),
        'tls-cert-file': file(`${name}.pem`),
        'tls-key-file': file(`${name}.key`),
      }));
    const at = ({ port }: RedisServer, scheme = 'rediss'): string =>
      `${scheme}://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`;
    const [open, named, closed] = [
      await start('server', 'no'),
      await start('named', 'no'),
      await start('server', 'yes'),
    ];
    const authority = `?cacert=${file('ca.pem')}`;

    await use(`${at(open)}/0${authority}`);
    await crawlWith(at(open) + authority);
    await expect(use(at(open))).rejects.toMatchObject({
      message: expect.stringContaining('the authority of its certificate is unknown'),
      hint: expect.stringContaining('?cacert=<file>'),
    });
    await expect(use(at(named) + authority)).rejects.toMatchObject({ hint: expect.stringContaining('?sni=<name>') });
    await use(`${at(named)}${authority}&sni=redis.internal`);
    await expect(use(at(closed) + authority)).rejects.toMatchObject({
      hint: expect.stringContaining('?cert=<file>&key='),
    });
    await use(`${at(closed)}${authority}&cert=${file('client.pem')}&key=${file('client.key')}`);
    const plain = use(at(open, 'redis'));
    await expect(plain).rejects.toMatchObject({
      hint: expect.stringMatching(/TLS: then REDIS_URL begins with rediss/),
    });
    await expect(plain).rejects.not.toThrow(PASSWORD);
  });
});

describe('a user', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/redis.md'), 'utf8');
  const [, rule = ''] = /```\nACL SETUSER trawl on >password ([^`]+)```/.exec(page) ?? [];
  const rules = rule.trim().split(/\s+/);

  test('with the documented commands runs crawls, and is refused nothing', { timeout: 60_000 }, async () => {
    const { client, port } = await startRedisServer();
    await client.call('ACL', 'SETUSER', 'trawl', 'on', `>${PASSWORD}`, ...rules);
    const REDIS_URL = `redis://trawl:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`;
    await crawlWith(REDIS_URL);
    const { finding } = await runDoctorCheck(tempFile('mine.db'), 'redis', { env: { REDIS_URL } });
    expect(finding).toMatchObject({ status: 'ok' });
    expect(await client.call('ACL', 'LOG')).toEqual([]);
  });

  test('with the documented commands may run all scripts of the queue', () => {
    const folder = join(import.meta.dirname, '../../node_modules/bullmq/dist/esm/scripts');
    const scripts = execFileSync('grep', ['-rhoE', String.raw`rcall\(\s*["'][A-Za-z]+["']`, folder], {
      encoding: 'utf8',
    });
    const commands = new Set([...scripts.matchAll(/["']([A-Za-z]+)["']/g)].map(([, name]) => name!.toLowerCase()));
    expect(commands.size).toBeGreaterThan(30);
    expect([...commands].filter((name) => !rules.includes(`+${name}`))).toEqual([]);
  });

  test('with a wrong password is refused without showing it', async () => {
    const { port } = await startRedisServer({ requirepass: PASSWORD });
    const refusal = use(`redis://:${encodeURIComponent(PASSWORD)}0@127.0.0.1:${port}`);
    await expect(refusal).rejects.toThrow('this Redis refuses the user or the password');
    await expect(refusal).rejects.not.toThrow(PASSWORD);
  });
});

test('trawl doctor reports an eviction policy that loses jobs, and the clock', async () => {
  const { port } = await startRedisServer({ 'maxmemory-policy': 'allkeys-lru' });
  const env = { REDIS_URL: `redis://127.0.0.1:${port}` };
  const { code, finding } = await runDoctorCheck(tempFile('mine.db'), 'redis', { env });
  expect(code).toBe(1);
  expect(finding).toMatchObject({
    status: 'wrong',
    message: expect.stringContaining('maxmemory-policy is allkeys-lru: set noeviction'),
    figures: { clockOffsetMs: 0 },
  });
  const { stdout } = await runCli(['doctor'], { env });
  expect(stdout).not.toContain('the clock');
});
