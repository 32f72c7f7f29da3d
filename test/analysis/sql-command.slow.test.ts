import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Sidecar } from '#files/export/sidecar.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { openStore } from '#store/store.ts';
import { startCrawl } from '../store/support.ts';
import { runCli, runSuccessfully } from '../support/cli.ts';
import { tempDir, tempFile } from '../support/temp.ts';

const MANY = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000) select i from n';
const ENDLESS = 'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n';
const BOMB = 'select group_concat(hex(randomblob(1e8))) from (values (1), (2), (3), (4), (5))';
let db: string;

beforeEach(() => {
  db = tempFile('trawl.db');
  openDatabase(db).$client.close();
});

test.each([
  ['a table by default', [], 'one\n───\n  1\n'],
  ['json with --json', ['--json'], '[\n{"one":1}\n]\n'],
])('trawl sql prints %s', async (_, options, stdout) => {
  expect(await runCli(['sql', 'select 1 as one', '--db', db, ...options])).toEqual({ code: 0, stdout, stderr: '' });
});

test('the statement can come from standard input and the database from the environment', async () => {
  const options = { stdin: 'select 1 as one, 2 as two;\n', env: { TRAWL_DB: db } };
  expect(await runCli(['sql', '-', '--format', 'csv'], options)).toMatchObject({ code: 0, stdout: 'one,two\n1,2\n' });
});

test('output of any length is complete', async () => {
  const { code, stdout } = await runCli(['sql', MANY, '--db', db, '--format', 'jsonl']);
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n')).toHaveLength(200_000);
});

test('it ends silently when the reader closes the pipe', () => {
  const bin = resolve(import.meta.dirname, '../../bin/trawl.js');
  const pipe = `"${process.execPath}" "${bin}" sql "${MANY}" --db "${db}" --format csv | head -n 2; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', pipe], { encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: 'i\n1\n0\n', stderr: '' });
});

test.each([
  ['a wrong statement', ['sql', 'selec'], 2, /^trawl: near "selec": syntax error\n$/],
  ['a statement of nothing', ['sql', ''], 2, /^trawl: the statement is empty\n$/],
  ['two statements', ['sql', 'select 1; select 2'], 2, /^trawl: only one statement can be run at a time\n$/],
  ['an error at a row', ['sql', "select json(column1) from (values ('{'))"], 1, /^trawl: malformed JSON\n$/],
  ['a wrong statement for targets', ['crawl', 'profile', '--from-sql', 'selec'], 2, /^trawl: near "selec"/],
  ['a statement that writes', ['sql', 'delete from users'], 2, /^trawl: only read-only statements, such as select, /],
  [
    'an unknown format',
    ['sql', 'select 1', '--format', 'xml'],
    2,
    /Allowed choices are csv, xlsx, jsonl, parquet, json, /,
  ],
  ['no statement', ['sql'], 2, /^trawl: there is no statement\n  Type it, name its file with --file, or pipe it to /],
  ['a statement beside a file', ['sql', 'select 1', '--file', 'a.sql'], 2, /^trawl: there are two statements/],
  ['a missing file', ['sql', '--file', 'none.sql'], 2, /^trawl: cannot read .*none\.sql: no such file/],
  [
    'a binary format without a file',
    ['sql', 'select 1', '-f', 'xlsx'],
    2,
    /^trawl: xlsx cannot be written to stdout\n  Name a /,
  ],
  ['an unknown extension', ['sql', 'select 1', '-o', 'rows.doc'], 2, /\.csv, \.xlsx, \.jsonl, \.parquet, /],
  [
    'a parameter without a value',
    ['sql', 'select :n'],
    2,
    /^trawl: the parameter :n has no value\n  `trawl sql .*--param n=…` /,
  ],
  ['an unknown parameter', ['sql', 'select 1', '-p', 'n=1'], 2, /^trawl: the statement has no parameter :n\n/],
  ['a malformed parameter', ['sql', 'select :n', '-p', 'n'], 2, /It must be name=text, /],
  [
    'a time limit',
    ['sql', ENDLESS, '--timeout', '300ms'],
    1,
    /^trawl: the statement took longer than 300 ms\n  Narrow it /,
  ],
  [
    'a memory limit',
    ['sql', BOMB, '--memory', '150MB'],
    1,
    /^trawl: the statement needed more than 150 MB of memory\n/,
  ],
])('%s is reported on stderr with its exit code', async (_what, args, code, message) => {
  const result = await runCli([...args, '--db', db]);
  expect(result).toMatchObject({ code, stdout: '' });
  expect(result.stderr).toMatch(message);
});

test('the statement can come from a file, and the rows go to another', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'question.sql'), '-- numbers\nselect 1 as one, :text as text;\n');
  const options = ['--file', 'question.sql', '-p', 'text=0012', '-o', 'answer.csv', '--db', db];
  const { code, stdout, stderr } = await runCli(['sql', ...options], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Ids are text') });
  expect(stdout).toMatch(/answer\.csv: 1 row, 16 B, in .*\n.*answer\.csv\.meta\.json: /);
  expect(readFileSync(join(cwd, 'answer.csv'), 'utf8')).toBe('one,text\n1,0012\n');
  const sidecar = JSON.parse(readFileSync(join(cwd, 'answer.csv.meta.json'), 'utf8')) as Sidecar;
  expect(sidecar).toMatchObject({
    command: `trawl sql --file question.sql -p 'text=0012' -o answer.csv --db ${db}`,
    parameters: { text: '0012' },
  });
});

test('--format has priority over the extension, and -o - is stdout', async () => {
  const file = join(tempDir(), 'rows.txt');
  await runSuccessfully(['sql', 'select 1 as one', '--db', db, '-o', file, '-f', 'jsonl']);
  expect(readFileSync(file, 'utf8')).toBe('{"one":1}\n');
  expect(await runSuccessfully(['sql', 'select 1 as one', '--db', db, '-o', '-', '-f', 'markdown'])).toMatchObject({
    stdout: '| one |\n| ---: |\n| 1 |\n',
  });
});

describe('parameters', () => {
  const ask = async (sql: string, ...parameters: string[]): Promise<string> => {
    const values = parameters.flatMap((each) => ['-p', each]);
    return (await runSuccessfully(['sql', sql, ...values, '--db', db, '-f', 'csv'])).stdout.split('\n')[1]!;
  };
  const ID = '1234567890123456789';

  beforeEach(async () => {
    await using store = openStore(db);
    const crawl = await startCrawl(store);
    await crawl.store({ users: [{ restId: ID, screenName: 'nasa', detailLevel: 'summary', followersCount: 9 }] });
  });

  test('are text, which finds ids', async () => {
    expect(await ask('select screen_name from v_users where rest_id = :id', `id=${ID}`)).toBe('nasa');
    expect(await ask("select screen_name from v_users where rest_id || '' = :id", `id=${ID}`)).toBe('nasa');
  });

  test('are converted by columns of numbers and by limit', async () => {
    expect(await ask('select screen_name from v_users where followers_count < :n', 'n=10')).toBe('nasa');
    expect(await ask('select screen_name from v_users limit :n', 'n=1')).toBe('nasa');
  });

  test('are numbers after :=, for expressions', async () => {
    expect(await ask('select count(*) from v_users having count(*) < :n', 'n:=10')).toBe('1');
    expect(await ask('select :a / :b', 'a:=7', 'b:=2')).toBe('3');
    expect(await ask('select :a / :b', 'a:=7', 'b:=2.0')).toBe('3.5');
    expect(await ask('select :a is null', 'a:=null')).toBe('1');
  });

  test('stay data', async () => {
    expect(await ask('select :text as text', "text='; select 1 --")).toBe("'; select 1 --");
  });
});
