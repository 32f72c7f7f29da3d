import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadDotEnv, readConfig } from '../src/config.ts';
import { runCli } from './support/cli.ts';
import { asNobody } from './support/nobody.ts';
import { tempDir } from './support/temp.ts';

describe('the configuration', () => {
  it('has sane defaults', () => {
    expect(readConfig({})).toEqual({
      apiUrl: undefined,
      apiKey: undefined,
      db: 'trawl.db',
      redisUrl: undefined,
      reserve: { share: 0.1 },
      shares: { interactive: 0, scheduled: 0.05, backfill: 0.1 },
      method: 'GET',
    });
  });

  it('takes the reserve in percent or in requests, and the address without its last slash', () => {
    expect(readConfig({ TRAWL_RESERVE: '5%' }).reserve).toEqual({ share: 0.05 });
    expect(readConfig({ TRAWL_RESERVE: '50' }).reserve).toEqual({ requests: 50 });
    expect(readConfig({ TRAWL_API_URL: 'https://example.org/base/' }).apiUrl).toBe('https://example.org/base');
  });

  it("takes the classes' floors in percent, each by itself", () => {
    expect(readConfig({ TRAWL_FLOORS: 'backfill=25%' }).shares).toEqual({
      interactive: 0,
      scheduled: 0.05,
      backfill: 0.25,
    });
    expect(readConfig({ TRAWL_FLOORS: 'scheduled=0%, backfill = 2.5%' }).shares).toMatchObject({
      scheduled: 0,
      backfill: 0.025,
    });
    for (const wrong of ['backfill', 'backfill=5', 'backfill=100%', 'urgent=5%', 'backfill=5%;scheduled=5%'])
      expect(() => readConfig({ TRAWL_FLOORS: wrong })).toThrow('TRAWL_FLOORS should be percentages by class');
  });

  it('names everything that is wrong at once, and never the key', () => {
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
    'takes no address such as %s, and does not repeat it',
    (url) => {
      const read = () => readConfig({ TRAWL_API_URL: url });
      expect(read).toThrow(
        /^the configuration is wrong: TRAWL_API_URL should be an address such as https:\/\/api.example.org$/,
      );
    },
  );
});

describe('.env', () => {
  const work = (cwd: string) => runCli(['work'], { cwd });

  it('is read, and a folder of that name is left alone', async () => {
    const cwd = tempDir();
    mkdirSync(join(cwd, '.env'));
    expect(await work(cwd)).toMatchObject({ code: 2, stderr: expect.stringContaining('TRAWL_API_URL is not set') });
    const other = tempDir();
    writeFileSync(join(other, '.env'), 'TRAWL_RESERVE=all\n');
    expect(await work(other)).toMatchObject({ code: 2, stderr: expect.stringContaining('TRAWL_RESERVE should be') });
  });

  it('that cannot be read is told in words', async () => {
    const cwd = tempDir();
    chmodSync(cwd, 0o755);
    writeFileSync(join(cwd, '.env'), 'TRAWL_METHOD=GET\n', { mode: 0 });
    const before = process.cwd();
    onTestFinished(() => process.chdir(before));
    process.chdir(cwd);
    await asNobody(() => expect(loadDotEnv).toThrow('.env cannot be read'));
  });
});
