import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { runCli } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';

const MANY = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000) select i from n';
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
  ['an unknown format', ['sql', 'select 1', '--format', 'xml'], 2, /Allowed choices are table, csv, json, jsonl/],
  ['no statement', ['sql'], 2, /missing required argument 'statement'/],
])('%s is reported on stderr with its exit code', async (_what, args, code, message) => {
  const result = await runCli([...args, '--db', db]);
  expect(result).toMatchObject({ code, stdout: '' });
  expect(result.stderr).toMatch(message);
});
