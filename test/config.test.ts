import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildChildEnvironment, readConfig, readEnvironment } from '../src/config.ts';
import { runProcess } from './support/cli.ts';
import { asNobody } from './support/nobody.ts';
import { tempDir } from './support/temp.ts';

describe('the configuration', () => {
  it('has defaults', () => {
    expect(readConfig({})).toEqual({
      apiUrl: undefined,
      apiKey: undefined,
      db: 'trawl.db',
      redisUrl: undefined,
      childEnvironment: {},
      reserve: { share: 0.1 },
      headroomShares: { interactive: 0, scheduled: 0.05, backfill: 0.1 },
      method: 'GET',
    });
  });

  it('accepts the reserve in percent or requests, and strips the last slash of the address', () => {
    expect(readConfig({ TRAWL_RESERVE: '5%' }).reserve).toEqual({ share: 0.05 });
    expect(readConfig({ TRAWL_RESERVE: '50' }).reserve).toEqual({ requests: 50 });
    expect(readConfig({ TRAWL_API_URL: 'https://example.org/base/' }).apiUrl).toBe('https://example.org/base');
  });

  it('accepts the headroom of each priority in percent', () => {
    expect(readConfig({ TRAWL_HEADROOM: 'backfill=25%' }).headroomShares).toEqual({
      interactive: 0,
      scheduled: 0.05,
      backfill: 0.25,
    });
    expect(readConfig({ TRAWL_HEADROOM: 'scheduled=0%, backfill = 2.5%' }).headroomShares).toMatchObject({
      scheduled: 0,
      backfill: 0.025,
    });
    for (const wrong of ['backfill', 'backfill=5', 'backfill=100%', 'urgent=5%', 'backfill=5%;scheduled=5%'])
      expect(() => readConfig({ TRAWL_HEADROOM: wrong })).toThrow('TRAWL_HEADROOM should be percentages by class');
  });

  it('reports all wrong variables at once, never the key', () => {
    const read = () =>
      readConfig({
        TRAWL_API_URL: 'example',
        TRAWL_API_KEY: 'line\nbreak',
        TRAWL_RESERVE: '100%',
        REDIS_URL: 'http://x',
      });
    expect(read).toThrow(
      'the configuration is wrong: TRAWL_API_URL should be an address such as https://api.example.org; ' +
        'TRAWL_API_KEY should be one line of printable ASCII; REDIS_URL should be an address such as redis://127.0.0.1:6379; ' +
        'TRAWL_RESERVE should be a number of requests or a percentage, such as 50 or 10%',
    );
  });

  it.each(['http://:s3cret@example.org', 'https://user@example.org', 'https://example.org/?a=1', 'ftp://example.org'])(
    'refuses an address such as %s without repeating it',
    (url) => {
      const read = () => readConfig({ TRAWL_API_URL: url });
      expect(read).toThrow(
        /^the configuration is wrong: TRAWL_API_URL should be an address such as https:\/\/api.example.org$/,
      );
    },
  );
});

describe('.env', () => {
  const work = (cwd: string, env: Record<string, string> = {}) => runProcess(['work'], { cwd, env });
  const withFile = (...lines: string[]): string => {
    const cwd = tempDir();
    writeFileSync(join(cwd, '.env'), `${lines.join('\n')}\n`);
    return cwd;
  };

  it('is read; a directory of that name is ignored', async () => {
    const cwd = tempDir();
    mkdirSync(join(cwd, '.env'));
    expect(await work(cwd)).toMatchObject({ code: 2, stderr: expect.stringContaining('TRAWL_API_URL is not set') });
    const other = withFile('TRAWL_RESERVE=all');
    expect(await work(other)).toMatchObject({ code: 2, stderr: expect.stringContaining('TRAWL_RESERVE should be') });
  });

  it('sets the database of a command', async () => {
    const cwd = withFile('TRAWL_DB=of-the-file.db');
    const { stderr } = await runProcess(['status'], { cwd });
    expect(stderr).toContain('of-the-file.db');
    expect((await runProcess(['status'], { cwd, env: { TRAWL_DB: 'of-the-shell.db' } })).stderr).toContain(
      'of-the-shell.db',
    );
  });

  it('that cannot be read is reported', async () => {
    const cwd = tempDir();
    chmodSync(cwd, 0o755);
    writeFileSync(join(cwd, '.env'), 'TRAWL_METHOD=GET\n', { mode: 0 });
    const before = process.cwd();
    onTestFinished(() => process.chdir(before));
    process.chdir(cwd);
    await asNobody(() => expect(readEnvironment).toThrow('.env cannot be read'));
  });

  it('sets TRAWL_* and REDIS_URL; other variables are ignored and named in one line', async () => {
    const cwd = withFile(
      'LD_PRELOAD=/nowhere/evil.so',
      'NODE_TLS_REJECT_UNAUTHORIZED=0',
      'A\u001B[2J=1',
      'TRAWL_METHOD=POST',
    );
    const { stderr, stdout } = await runProcess(['doctor', '--json'], { cwd });
    expect(stderr.trimEnd()).toBe(
      'warning: .env sets "A\\u001b[2J", LD_PRELOAD and NODE_TLS_REJECT_UNAUTHORIZED: ignored, only TRAWL_* and REDIS_URL are read from it',
    );
    expect(JSON.parse(stdout)).toMatchObject({ findings: expect.anything() });
  });
});

describe('an address from .env', () => {
  /** A service that notes the keys that it is sent. */
  async function stranger(): Promise<{ url: string; keys: (string | undefined)[] }> {
    const keys: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      keys.push(request.headers['x-api-key'] as string | undefined);
      response.writeHead(401).end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
  }

  function folder(...lines: string[]): string {
    const cwd = tempDir();
    writeFileSync(join(cwd, '.env'), `${lines.join('\n')}\n`);
    return cwd;
  }

  it.each(['crawl profile nasa', 'plan profile nasa', 'doctor'])(
    'never gets the key of the environment: trawl %s',
    async (words) => {
      const { url, keys } = await stranger();
      const env = { TRAWL_API_KEY: 'key-of-the-shell' };
      for (const line of ['', 'TRAWL_API_KEY='])
        await runProcess(words.split(' '), { cwd: folder(`TRAWL_API_URL=${url}`, line), env });
      expect(keys).toEqual([]);
    },
  );

  it('is refused with what to do when only the environment has a key', async () => {
    const { url } = await stranger();
    const cwd = folder(`TRAWL_API_URL=${url}`);
    const { code, stderr } = await runProcess(['crawl', 'profile', 'nasa'], {
      cwd,
      env: { TRAWL_API_KEY: 'key-of-the-shell' },
    });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'warning: TRAWL_API_KEY of the environment is not used: the address is from .env; set both in .env, or both in the environment\n' +
        'trawl: TRAWL_API_KEY is not set\n  Set it to your key for the service, in the environment or in a .env file.\n',
    });
  });

  it('gets the key of the file, also beside one in the environment', async () => {
    const { url, keys } = await stranger();
    const cwd = folder(`TRAWL_API_URL=${url}`, 'TRAWL_API_KEY=key-of-the-file');
    const { stderr } = await runProcess(['quota'], { cwd, env: { TRAWL_API_KEY: 'key-of-the-shell' } });
    expect(new Set(keys)).toEqual(new Set(['key-of-the-file']));
    expect(stderr).toContain(
      'warning: TRAWL_API_KEY of the environment is not used: the address is from .env, and so is the key',
    );
  });

  it('has lower priority than one of the environment, which is used with a key from either', async () => {
    const { url, keys } = await stranger();
    const cwd = folder('TRAWL_API_URL=http://127.0.0.1:9', 'TRAWL_API_KEY=key-of-the-file');
    await runProcess(['quota'], { cwd, env: { TRAWL_API_URL: url } });
    await runProcess(['quota'], { cwd, env: { TRAWL_API_URL: url, TRAWL_API_KEY: 'key-of-the-shell' } });
    expect(new Set(keys)).toEqual(new Set(['key-of-the-file', 'key-of-the-shell']));
  });
});

describe('the environment', () => {
  it('is not changed by reading the configuration', () => {
    // oxlint-disable-next-line node/no-process-env -- what is tested
    const { env } = process;
    env['TRAWL_API_KEY'] = 'key-of-the-caller';
    onTestFinished(() => void delete env['TRAWL_API_KEY']);
    expect(readEnvironment().env['TRAWL_API_KEY']).toBe('key-of-the-caller');
    expect(env['TRAWL_API_KEY']).toBe('key-of-the-caller');
  });

  it('of a child has only paths and the language', () => {
    const env = { PATH: '/bin', HOME: '/root', TMPDIR: '/tmp', LANG: 'C', LC_ALL: 'C', TZ: 'UTC' };
    const others = {
      TRAWL_API_KEY: 'k',
      REDIS_URL: 'redis://:s3cret@x',
      NODE_OPTIONS: '--inspect',
      LD_PRELOAD: 'x',
      AWS_SECRET: 'y',
    };
    expect(buildChildEnvironment({ ...env, ...others })).toEqual(env);
  });
});
