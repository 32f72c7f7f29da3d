import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openQuery } from '#analysis/sql/sql-query.ts';
import { readConfig } from '#config.ts';
import { serve, withWorld } from '../e2e/support.ts';
import { newStore, pageOf, rows, spec } from '../store/support.ts';
import { runCli, spawnCli } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

/**
 * No engine builds the image here. What it is made of is held together instead: the files that it copies run on their
 * own, the compose file is as docs/install.md says, and the statements of docs/monitor.md are valid.
 */

const world = withWorld(20, 7);
const root = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Service {
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
  readonly networks?: readonly string[];
  readonly read_only?: boolean;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly string[] };
}

const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  readonly services: Readonly<Record<'redis' | 'worker' | 'twin' | 'dashboard' | 'trawl', Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const { redis, worker, twin, dashboard, trawl } = compose.services;

/** The Dockerfile's instructions, by stage; a line that goes on is one. */
const STAGES = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split(/^(?=FROM )/m)
  .map((stage) => stage.split('\n').filter(Boolean))
  .filter((stage) => stage.length > 0);
const [build, runtime] = STAGES as [string[], string[]];

/** [from, to] of a stage's COPY lines. */
const copies = (stage: readonly string[]): [string, string][] =>
  stage.flatMap((line) => {
    const words = /^COPY (?:--from=build )?(.+)$/.exec(line)?.[1]?.split(' ') ?? [];
    const to = words.at(-1)!;
    return words.slice(0, -1).map((from): [string, string] => [from.replace(/^\/app\//, ''), to === './' ? from : to]);
  });

describe('the image', () => {
  test('is built before its development dependencies are removed, and runs without them as a user other than root', () => {
    expect(STAGES).toHaveLength(2);
    const steps = build.filter((line) => line.startsWith('RUN')).join(' && ');
    expect(steps).toMatch(/npm ci --ignore-scripts.*npm run build.*npm prune --omit=dev --ignore-scripts/);
    expect(runtime.join('\n')).not.toMatch(/npm|apt-get/);
    expect(runtime.indexOf('USER node')).toBeGreaterThan(runtime.findIndex((line) => line.startsWith('RUN install')));
    expect(runtime.slice(runtime.indexOf('USER node'))).not.toContainEqual(
      expect.stringMatching(/^(COPY|RUN|USER root)/),
    );
    expect(runtime).toContain('VOLUME /data');
    expect(runtime).toContain('ENTRYPOINT ["node", "/app/bin/trawl.js"]');
  });

  test('contains only files that .dockerignore allows', () => {
    const allowed = read('.dockerignore').match(/(?<=^!).+$/gm)!;
    const own = [...copies(build), ...copies(runtime)].map(([from]) => from);
    const wanted = own.filter((from) => !['node_modules', 'dist'].includes(from));
    expect(new Set(wanted)).toEqual(new Set(allowed));
    expect(read('.dockerignore')).toMatch(/^\*$/m);
  });

  test('has all that trawl needs to run', () => {
    const app = tempDir();
    for (const [from, to] of copies(runtime)) {
      // What was installed is the same but for the development dependencies.
      if (from === 'node_modules') symlinkSync(join(root, from), join(app, to));
      else cpSync(join(root, from), join(app, to), { recursive: true });
    }
    const data = join(app, 'data');
    mkdirSync(data);
    const inside = (...args: string[]) =>
      spawnSync(process.execPath, [join(app, 'bin/trawl.js'), ...args], {
        cwd: data,
        encoding: 'utf8',
        env: {
          NODE_ENV: 'production',
          TRAWL_DB: join(data, 'trawl.db'),
          TMPDIR: data,
        },
      });
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(inside('--version')).toMatchObject({ status: 0, stdout: `${version}\n` });
    const made = inside('twin', 'world', 'create', '--users', '2', '--db', join(data, 'trawl.db'));
    expect(made, made.stderr).toMatchObject({ status: 0 });
    expect(inside('sql', 'select count(*) from users')).toMatchObject({ status: 0 });
  }, 30_000);
});

describe('docker-compose.yml', () => {
  /** A setting of the services that have it. */
  const settingOf = (key: keyof Service): object =>
    Object.fromEntries(
      Object.entries(compose.services).flatMap(([name, service]) => (key in service ? [[name, service[key]]] : [])),
    );
  const both = ['default', 'queue'];

  test.each<[rule: string, actual: unknown, expected: unknown]>([
    [
      'Redis persists jobs and evicts nothing',
      redis.command.join(' '),
      'redis-server --appendonly yes --appendfsync everysec --maxmemory-policy noeviction',
    ],
    ['Redis keeps its data', redis.volumes, ['redis:/data']],
    [
      'the worker syncs its jobs and serves its state',
      worker.command,
      ['work', '--jobs', '/jobs', '--listen', '0.0.0.0:9464'],
    ],
    ['the worker cannot write to its jobs', worker.volumes, ['data:/data', './jobs:/jobs:ro']],
    ['the worker waits for Redis', worker.depends_on, { redis: { condition: 'service_healthy' } }],
    [
      'the dashboard and the twin are reachable, from this machine only',
      settingOf('ports'),
      { dashboard: ['127.0.0.1:8899:8899'], twin: ['127.0.0.1:8801:8801'] },
    ],
    [
      'there are no other services',
      Object.keys(compose.services).toSorted(),
      ['dashboard', 'redis', 'trawl', 'twin', 'worker'],
    ],
    [
      'the health check of the twin is of words',
      twin.healthcheck?.test?.every((word) => typeof word === 'string'),
      true,
    ],
    ['twin and trawl start only when asked for', settingOf('profiles'), { twin: ['twin'], trawl: ['cli'] }],
    [
      'the twin does not reach Redis',
      settingOf('networks'),
      { redis: ['queue'], worker: both, dashboard: both, trawl: both },
    ],
    ['the twin has no settings of the worker', [twin.environment, twin.depends_on], [undefined, undefined]],
    ['a one-off command has the settings of the worker', trawl.environment, worker.environment],
    [
      'our containers write only to their volumes',
      settingOf('read_only'),
      { worker: true, twin: true, dashboard: true, trawl: true },
    ],
  ])('%s', (_, actual, expected) => {
    expect(actual).toEqual(expected);
  });

  test('the health check of the worker succeeds while it runs, and fails after', async () => {
    const [run, ...command] = worker.healthcheck!.test!;
    expect([run, command[0]]).toEqual(['CMD', 'node']);
    expect(command.at(-1)).toContain('http://127.0.0.1:9464/healthz');
    const service = await serve(world);
    const started = spawnCli(['work', '--listen', '127.0.0.1:0'], { env: service.env });
    const { host } = new URL(/http:[^"]+/.exec(await started.waitForLine(/serving \/healthz/))![0]);
    const check = () =>
      spawnSync(process.execPath, ['-e', command.at(-1)!.replace('127.0.0.1:9464', host)], { encoding: 'utf8' }).status;
    expect(check()).toBe(0);
    started.kill('SIGTERM');
    expect(await started.exited).toBe(0);
    expect(check()).toBe(1);
  });

  test('only the worker and one-off commands get the secrets of a worker, and only the dashboard gets its token', () => {
    const holders = (name: string) =>
      Object.entries(compose.services).flatMap(([service, { environment }]) =>
        name in (environment ?? {}) ? service : [],
      );
    for (const secret of ['TRAWL_API_KEY', 'TRAWL_NOTIFY_URL']) expect(holders(secret)).toEqual(['worker', 'trawl']);
    expect(holders('TRAWL_DASHBOARD_TOKEN')).toEqual(['dashboard']);
  });

  test('every volume is declared', () => {
    const named = Object.values(compose.services).flatMap(({ volumes }) => volumes.map((it) => it.split(':')[0]!));
    expect(new Set(named.filter((name) => /^\w/.test(name)))).toEqual(new Set(Object.keys(compose.volumes)));
  });

  test('sets every variable except the file, and takes only known ones from .env', () => {
    const taken = [...read('docker-compose.yml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name!);
    expect(VARIABLES).toEqual(expect.arrayContaining(taken));
    const set = [worker, dashboard].flatMap(({ environment }) => Object.keys(environment!));
    expect(new Set([...set, 'TRAWL_DB'])).toEqual(new Set(VARIABLES));
  });
});

describe('deploy/trawl.service', () => {
  const unit = read('deploy/trawl.service');
  const [, program, ...args] = /^ExecStart=(\S+) (.*)$/m
    .exec(unit)!
    .flatMap((part, i) => (i === 2 ? part.split(' ') : part));
  const hasAnalyzer = spawnSync('systemd-analyze', ['--version']).status === 0;
  if (!hasAnalyzer) process.stderr.write('deploy/trawl.service is not verified: there is no systemd-analyze here\n');

  test.skipIf(!hasAnalyzer)('passes systemd-analyze verify', () => {
    const file = join(tempDir(), 'trawl.service');
    // The program must exist.
    writeFileSync(file, unit.replace(program!, join(root, 'bin/trawl.js')));
    const { status, stderr, stdout } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    // A key or a value that it does not know is a warning only.
    const about = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('trawl.service'));
    expect({ status, about }).toEqual({ status: 0, about: [] });
  });

  test('its command works with its settings, answers, and ends by SIGTERM', async () => {
    const service = await serve(world);
    const folder = tempDir();
    const inFolder = (text: string): string =>
      text.replaceAll(/\/(?:var\/lib|run|etc)\/trawl/g, (place) => join(folder, place));
    for (const place of ['var/lib/trawl', 'run/trawl', 'etc/trawl/jobs'])
      mkdirSync(join(folder, place), { recursive: true });
    const settings = /^Environment=(.*)$/m
      .exec(unit)![1]!
      .split(' ')
      .map((one) => one.split('=') as [string, string]);
    const env = Object.fromEntries(settings.map(([name, value]) => [name, inFolder(value)]));
    const command = args.map((word) => inFolder(word).replace(/:9464$/, ':0'));
    const { TRAWL_API_URL, TRAWL_API_KEY } = service.env;
    const worker = spawnCli(command, { env: { ...env, TRAWL_API_URL, TRAWL_API_KEY } });
    const [address] = /http:[^"]+/.exec(await worker.waitForLine(/serving \/healthz/))!;
    await worker.waitForLine(/"msg":"working"/);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    worker.kill('SIGTERM');
    expect(await worker.exited, worker.lines.join('\n')).toBe(0);
    expect(existsSync(join(folder, 'var/lib/trawl/trawl.db'))).toBe(true);
  });
});

/** What src/config.ts reads. */
const VARIABLES = [...read('src/config.ts').matchAll(/read\('(\w+)'/g)].map(([, name]) => name!);

test('the scripts of the hosted workflow are valid, and name scripts that exist', () => {
  const { jobs } = parse(read('.github/workflows/ci.yml')) as { jobs: Record<string, { steps: { run?: string }[] }> };
  const scripts = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  for (const script of scripts) expect(spawnSync('bash', ['-n', '-c', script], { encoding: 'utf8' }).stderr).toBe('');
  const manifest = JSON.parse(read('package.json')) as { readonly scripts: object };
  const named = scripts.flatMap((script) => /^npm run (\S+)/.exec(script)?.[1] ?? []);
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(named));
  const line = /^FROM node:(\d+)-/.exec(build[0]!)?.[1];
  expect(runtime[0]).toMatch(`FROM node:${line}-`);
});

describe('.env.example', () => {
  test('names every variable with a comment above it, and no other', () => {
    const named = [...read('.env.example').matchAll(/^# .+\n#?(\w+)=/gm)].map(([, name]) => name!);
    expect(named.length).toBeGreaterThan(0);
    expect(new Set(named)).toEqual(new Set(VARIABLES));
  });

  test('contains no key, and every value is valid', () => {
    const example = read('.env.example').replaceAll(/^#(?=\w+=)/gm, '');
    const config = readConfig(parseEnv(example) as Record<string, string>);
    expect(config.apiKey).toBeUndefined();
    expect(config).toMatchObject({ db: 'trawl.db', method: 'GET', reserve: readConfig({}).reserve });
  });
});

test('docs/install.md and the help name every variable', async () => {
  const { stdout: help } = await runCli(['--help']);
  const missing = (text: string) => VARIABLES.filter((name) => !text.includes(name));
  expect({ page: missing(read('docs/install.md')), help: missing(help) }).toEqual({ page: [], help: [] });
});

describe('the operating manual', () => {
  const statements = [...read('docs/monitor.md').matchAll(/```sql\n([^]*?)```/g)].map(([, sql]) => sql!);

  test('the monitoring queries work on a store with one crawl', async () => {
    const store = newStore();
    const [crawl] = await store.write.openCrawls([spec()], Date.now());
    const { leaseToken: lease } = (await store.write.takeLease(crawl!.id, Date.now()))!;
    const request = { endpoint: 'followers', at: Date.now(), status: 200, ms: 5, bytes: 9 } as const;
    await store.write.commitPage(pageOf(crawl!.id, lease, Date.now(), { requests: [request], rows: rows() }));
    await store.write.addQuotaSample({ at: Date.now(), limit: 100, remaining: 50, keyHash: 'key' } as never);
    expect(statements).toHaveLength(5);
    for (const sql of statements) {
      using query = openQuery({ db: store.path, sql });
      expect([...query.rows].length, sql).toBeGreaterThan(0);
    }
  });
});
