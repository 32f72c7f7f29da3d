import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildChildEnvironment, readConfig, readEnvironment } from '#config.ts';
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

  it.each([
    [{ TRAWL_RESERVE: '5%' }, { reserve: { share: 0.05 } }],
    [{ TRAWL_RESERVE: '50' }, { reserve: { requests: 50 } }],
    [{ TRAWL_QUERIES: 'queries::/srv/queries' }, { queryFolders: ['queries', '/srv/queries'] }],
    [{ TRAWL_SHIP: 'all' }, { ship: [] }],
    [{ TRAWL_SHIP: 'lake  s3://bucket/facts' }, { ship: ['lake', 's3://bucket/facts'] }],
    [{ TRAWL_API_URL: 'https://example.org/base/' }, { apiUrl: 'https://example.org/base' }],
    [{ TRAWL_HEADROOM: 'backfill=25%' }, { headroomShares: { interactive: 0, scheduled: 0.05, backfill: 0.25 } }],
    [{ TRAWL_HEADROOM: 'scheduled=0%, backfill = 2.5%' }, { headroomShares: { scheduled: 0, backfill: 0.025 } }],
  ])('reads %j', (variables, config) => {
    expect(readConfig(variables)).toMatchObject(config);
  });

  it.each(['lab-7', 'Key 2 (of Zürich)', 'x'.repeat(64)])('takes the label %j of the key', (label) => {
    expect(readConfig({ TRAWL_API_KEY: 'a-long-key', TRAWL_KEY_LABEL: ` ${label} ` }).keyLabel).toBe(label);
  });

  it.each(['a-long-key', 'mine: A-Long-Key!', 'x'.repeat(65), 'a\tb', 'a\u2028b', 'a\u0000'])(
    'refuses the label %j, without repeating it',
    (label) => {
      expect(() => readConfig({ TRAWL_API_KEY: 'a-long-key', TRAWL_KEY_LABEL: label })).toThrow(
        /^the configuration is wrong: TRAWL_KEY_LABEL should be at most 64 printable characters, without the key$/,
      );
    },
  );

  it('refuses a headroom that is no percentage of a priority', () => {
    for (const wrong of ['backfill', 'backfill=5', 'backfill=100%', 'urgent=5%', 'backfill=5%;scheduled=5%'])
      expect(() => readConfig({ TRAWL_HEADROOM: wrong })).toThrow('TRAWL_HEADROOM should be percentages by priority');
  });

  it('reports all wrong variables at once, never the key', () => {
    const wrong = {
      TRAWL_API_URL: 'example',
      TRAWL_API_KEY: 'line\nbreak',
      TRAWL_RESERVE: '100%',
      REDIS_URL: 'http://x',
    };
    expect(() => readConfig(wrong)).toThrow(
      'the configuration is wrong: TRAWL_API_URL should be an address such as https://api.example.org; ' +
        'TRAWL_API_KEY should be one line of printable ASCII; REDIS_URL should be an address such as redis://127.0.0.1:6379; ' +
        'TRAWL_RESERVE should be a number of requests or a percentage, such as 50 or 10%',
    );
  });

  it.each(['http://:s3cret@example.org', 'https://user@example.org', 'https://example.org/?a=1', 'ftp://example.org'])(
    'refuses an address such as %s without repeating it',
    (url) => {
      const message =
        /^the configuration is wrong: TRAWL_API_URL should be an address such as https:\/\/api.example.org$/;
      expect(() => readConfig({ TRAWL_API_URL: url })).toThrow(message);
    },
  );
});

describe('.env', () => {
  const folderWith = (...lines: string[]): string => {
    const folder = tempDir();
    writeFileSync(join(folder, '.env'), `${lines.join('\n')}\n`);
    return folder;
  };
  const read = (variables: Record<string, string>, ...lines: string[]) =>
    readEnvironment(variables, folderWith(...lines));

  it('sets what the environment does not', () => {
    expect(read({}, 'TRAWL_DB=of-the-file.db').env).toEqual({ TRAWL_DB: 'of-the-file.db' });
    expect(read({ TRAWL_DB: 'of-the-shell.db' }, 'TRAWL_DB=of-the-file.db').env['TRAWL_DB']).toBe('of-the-shell.db');
  });

  it('may be missing, or a folder', () => {
    const folder = tempDir();
    expect(readEnvironment({}, folder)).toEqual({ env: {}, warnings: [] });
    mkdirSync(join(folder, '.env'));
    expect(readEnvironment({}, folder)).toEqual({ env: {}, warnings: [] });
  });

  it('that cannot be read is a usage error', async () => {
    const folder = tempDir();
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, '.env'), 'TRAWL_METHOD=GET\n', { mode: 0 });
    await asNobody(() => expect(() => readEnvironment({}, folder)).toThrow('.env cannot be read'));
  });

  it('sets TRAWL_* and REDIS_URL; other variables are ignored and named in one line', () => {
    const others = ['LD_PRELOAD=/nowhere/evil.so', 'NODE_TLS_REJECT_UNAUTHORIZED=0', 'A\u001B[2J=1'];
    expect(read({}, ...others, 'TRAWL_METHOD=POST')).toEqual({
      env: { TRAWL_METHOD: 'POST' },
      warnings: [
        '.env sets "A\\u001b[2J", LD_PRELOAD and NODE_TLS_REJECT_UNAUTHORIZED: ignored, only TRAWL_* and REDIS_URL are read from it',
      ],
    });
  });

  const SHELL = { TRAWL_API_KEY: 'key-of-the-shell' };
  const URL = 'TRAWL_API_URL=http://127.0.0.1:9';

  it.each(['', 'TRAWL_API_KEY='])('an address from it never comes with the key of the environment (%j)', (line) => {
    const { env, warnings } = read(SHELL, URL, line);
    expect(env['TRAWL_API_KEY'] ?? '').toBe('');
    expect(warnings).toEqual([expect.stringContaining('TRAWL_API_KEY of the environment is not used')]);
  });

  it('an address from it comes with its key, also beside one in the environment', () => {
    const { env, warnings } = read(SHELL, URL, 'TRAWL_API_KEY=key-of-the-file');
    expect(env['TRAWL_API_KEY']).toBe('key-of-the-file');
    expect(warnings).toEqual([expect.stringContaining('TRAWL_API_KEY of the environment is not used')]);
  });

  it('a label beside a key that is not used does not name the other key', () => {
    const ofShell = { ...SHELL, TRAWL_KEY_LABEL: 'label of the shell' };
    const ofFile = ['TRAWL_API_KEY=key-of-the-file', 'TRAWL_KEY_LABEL=label of the file'];
    const labelOf = (variables: Record<string, string>, ...lines: string[]) =>
      read(variables, ...lines).env['TRAWL_KEY_LABEL'];
    expect(labelOf(ofShell, ...ofFile)).toBe('label of the shell');
    expect(labelOf(SHELL, ...ofFile)).toBeUndefined();
    expect(labelOf(ofShell, URL, ...ofFile)).toBe('label of the file');
    expect(labelOf(ofShell, URL, ofFile[0]!)).toBeUndefined();
    // With one key only, the label may be in either place.
    expect(labelOf(SHELL, ofFile[1]!)).toBe('label of the file');
    expect(labelOf({ TRAWL_KEY_LABEL: 'label of the shell' }, ofFile[0]!)).toBe('label of the shell');
  });

  it('an address of the environment takes a key from either', () => {
    const address = { TRAWL_API_URL: 'http://127.0.0.1:8' };
    const lines = [URL, 'TRAWL_API_KEY=key-of-the-file'];
    expect(read(address, ...lines).env).toEqual({ ...address, TRAWL_API_KEY: 'key-of-the-file' });
    expect(read({ ...address, ...SHELL }, ...lines)).toEqual({ env: { ...address, ...SHELL }, warnings: [] });
  });
});

describe('the environment', () => {
  it('of a child has only paths and the language', () => {
    const folders = { PATH: '/bin', HOME: '/root', TMPDIR: '/tmp', SQLITE_TMPDIR: '/var/tmp' };
    const env = { ...folders, LANG: 'C', LC_ALL: 'C', TZ: 'UTC' };
    const secrets = { TRAWL_API_KEY: 'k', REDIS_URL: 'redis://:s3cret@x', AWS_SECRET: 'y' };
    const others = { ...secrets, NODE_OPTIONS: '--inspect', LD_PRELOAD: 'x' };
    expect(buildChildEnvironment({ ...env, ...others })).toEqual(env);
  });
});
