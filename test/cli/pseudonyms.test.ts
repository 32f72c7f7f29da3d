import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createKnownStore } from '../export/support.ts';
import { failure, runCli, runSuccessfully } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

/** The key of pseudonyms, and commands that have none. */

const db = createKnownStore;

test('the first export creates a key in the configuration folder, and says so', async () => {
  const [home, out] = [tempDir(), tempDir()];
  const args = ['export', 'users', '--pseudonymise', '--db', db(), '-o'];
  const first = await runSuccessfully([...args, join(out, 'a.csv')], { env: { HOME: home } });
  const key = join(home, '.config', 'trawl', 'pseudonym.key');
  expect(first.stderr).toContain(`created the key ${key}: keep it`);
  expect(readFileSync(key, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
  expect([statSync(key).mode & 0o777, statSync(join(home, '.config', 'trawl')).mode & 0o777]).toEqual([0o600, 0o700]);
  const second = await runSuccessfully([...args, join(out, 'b.csv')], { env: { HOME: home } });
  expect(second.stderr).not.toContain('created');
  expect(readFileSync(join(out, 'b.csv'))).toEqual(readFileSync(join(out, 'a.csv')));
  const elsewhere = { XDG_CONFIG_HOME: join(home, 'other'), HOME: home };
  await runSuccessfully([...args, join(out, 'c.csv')], { env: elsewhere });
  expect(readFileSync(join(out, 'c.csv'))).not.toEqual(readFileSync(join(out, 'a.csv')));
  expect(existsSync(join(home, 'other', 'trawl', 'pseudonym.key'))).toBe(true);
});

test.each([
  'pragma database_list',
  'select file from pragma_database_list',
  'select file from "PRAGMA_database_list"',
  'select d.name as n from [pragma_database_list] p join dbstat d on d.schema = p.name',
])('%s does not name the file of the store', async (sql) => {
  const args = ['sql', sql, '--pseudonymise', '--key-file', join(tempDir(), 'a.key'), '-f', 'csv', '--db', db()];
  expect(await runCli(args)).toMatchObject(failure(2, 'pragmas of SQLite are not readable'));
});

test('a key that others may read, that is none, or that would be shared is refused', async () => {
  const folder = tempDir();
  const [out, keys] = ['out', 'keys'].map((name) => join(folder, name)) as [string, string];
  for (const each of [out, keys]) mkdirSync(each);
  const file = db();
  const attempt = (key: string, output = join(out, 'users.csv')) =>
    runCli(['export users --pseudonymise --db', file, '--key-file', key, '-o', output]);
  const key = join(keys, 'a.key');
  expect(await attempt(key)).toMatchObject({ code: 0 });
  chmodSync(key, 0o640);
  expect(await attempt(key)).toMatchObject(failure(2, 'others may read the key'));
  chmodSync(key, 0o600);
  writeFileSync(join(keys, 'text'), 'secret\n', { mode: 0o600 });
  expect(await attempt(join(keys, 'text'))).toMatchObject(
    failure(2, 'is no key: it should have 64 hexadecimal digits'),
  );
  expect(await attempt(join(out, 'b.key'))).toMatchObject(failure(2, 'in the folder of the export'));
  expect(existsSync(join(out, 'b.key'))).toBe(false);
  // Also by a link.
  symlinkSync(keys, join(folder, 'link'));
  expect(await attempt(key, join(folder, 'link', 'users.csv'))).toMatchObject(
    failure(2, 'in the folder of the export'),
  );
  const dataset = join(keys, '..', 'keys');
  expect(
    await runCli(['export dataset --pseudonymise --db', file, '--key-file', join(dataset, 'sub', 'c.key'), '-o', keys]),
  ).toMatchObject(failure(2, 'in the folder of the export'));
  // What is printed is in no folder.
  const printed = await runSuccessfully(['export users -o - --pseudonymise --db', file, '--key-file', key]);
  expect(printed.stdout.split('\n')[1]).toMatch(/^a_[b-t]{24},h_[b-t]{24},/);
});

test('options and commands that have no pseudonyms are refused', async () => {
  const file = db();
  const out = join(tempDir(), 'out');
  const attempt = (...args: string[]) => runCli([...args, '--db', file], { env: { HOME: tempDir() } });
  expect(await attempt('export dataset -o', out, '--ids-only', '--pseudonymise')).toMatchObject(
    failure(2, "'--ids-only' cannot be used with option '--pseudonymise'"),
  );
  expect(await attempt('export users -o', out, '--format', 'csv', '--keep-text')).toMatchObject(
    failure(2, '--keep-text needs --pseudonymise'),
  );
  expect(await attempt('sql', 'select 1', '--key-file', out)).toMatchObject(
    failure(2, '--key-file needs --pseudonymise'),
  );
  expect(await attempt('find first --pseudonymise')).toMatchObject(failure(2, 'found text is not shown'));
  expect(await attempt('report account ada -o', out, '--pseudonymise')).toMatchObject(
    failure(2, 'a report is about people'),
  );
  expect(await attempt('coverage ada --pseudonymise')).toMatchObject(
    failure(2, 'coverage is shown for named accounts'),
  );
  expect(await attempt('panel export stars --pseudonymise')).toMatchObject(failure(2, 'a panel names its members'));
  const chart = [
    'sql',
    'select created_at as x, followers_count as y from users',
    '-o',
    `${out}.svg`,
    '--pseudonymise',
  ];
  expect(await attempt(...chart)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('a chart has no pseudonyms') as string,
  });
});

test('a sidecar names neither the command nor the statement, and says what pseudonyms do not prevent', async () => {
  const folder = tempDir();
  const file = db();
  const key = join(tempDir(), 'a.key');
  const path = join(folder, 'ada.jsonl');
  await runSuccessfully(['export tweets --accounts ada -o', path, '--pseudonymise', '--key-file', key, '--db', file]);
  const sidecar = JSON.parse(readFileSync(`${path}.meta.json`, 'utf8')) as Record<string, unknown>;
  expect(Object.keys(sidecar).toSorted()).toEqual([
    'bytes',
    'columns',
    'completeness',
    'deletions',
    'excluded',
    'mediaType',
    'pseudonyms',
    'rows',
    'sha256',
    'snapshotAt',
    'store',
    'version',
  ]);
  expect(sidecar['pseudonyms']).toMatchObject({ keyFingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) as string });
  expect((sidecar['pseudonyms'] as { risks: string[] }).risks.length).toBeGreaterThan(3);
  const text = `${readFileSync(path, 'utf8')}${JSON.stringify(sidecar)}`;
  expect(text).not.toMatch(/\bada\b|9007199254740993|known\.db/i);
  expect(text).not.toContain(readFileSync(key, 'utf8').trim());
});
