import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { UsageError } from '#base/errors.ts';
import { buildChildEnvironment } from '#config.ts';
import { QueryLimitError, runQueryProcess } from '#files/export/query/query-process.ts';
import type { QueryProcessOptions } from '#files/export/query/query-process.ts';
import type { QueryRequest } from '#files/export/query/query-request.ts';
import type { Sidecar } from '#files/export/sidecar.ts';
import { createStoreFile } from '../support/store-file.ts';
import { tempDir } from '../support/temp.ts';

/** Runs a statement in a process. Returns what it writes to the stream. */
async function runApart(
  request: Partial<QueryRequest> & { readonly sql: string },
  options: Partial<QueryProcessOptions> = {},
): Promise<string> {
  const out = new PassThrough();
  const written = text(out);
  try {
    await runQueryProcess(
      { db: createStoreFile(), parameters: {}, format: 'csv', ...request },
      { env: buildChildEnvironment(), out, ...options },
    );
  } finally {
    out.end();
  }
  return await written;
}

/** The error that a statement ends with. */
const failureOf = async (...args: Parameters<typeof runApart>): Promise<unknown> =>
  await runApart(...args).then(
    (rows) => expect.fail(`it returned ${rows}`),
    (error: unknown) => error,
  );

const ENDLESS = 'with recursive n(i) as (select 1 union all select i + 1 from n)';
/** Computes without end, without a row. */
const SILENT = `${ENDLESS} select count(*) from n`;
/** Has rows without end. */
const ROWS = `${ENDLESS} select i from n`;

describe('the rows', () => {
  test('of a statement reach the stream, with values of each type as parameters', async () => {
    const sql =
      'select :text as t, typeof(:text), :integer as i, typeof(:integer), :real as r, :null is null, :blob as b';
    const parameters = { text: '0012', integer: 2n ** 62n, real: 0.5, null: null, blob: Buffer.from('a') };
    expect(await runApart({ sql, parameters })).toMatch(/\n0012,text,4611686018427387904,integer,0\.5,1,x'61'\n$/);
  });

  test('of a large result are complete', async () => {
    const written = await runApart({ sql: `${ROWS} limit 200000` });
    expect(written.split('\n')).toHaveLength(200_002);
    expect(written.endsWith('\n200000\n')).toBe(true);
  });

  test('stop when the reader goes', async () => {
    const out = new PassThrough();
    out.once('data', () => out.destroy(Object.assign(new Error('gone'), { code: 'EPIPE' })));
    const request = { db: createStoreFile(), sql: ROWS, parameters: {}, format: 'csv' };
    await expect(runQueryProcess(request, { env: buildChildEnvironment(), out })).resolves.toBeDefined();
  });
});

describe('a limit', () => {
  test.each([
    ['computes', SILENT],
    ['returns rows', ROWS],
  ])('of time ends a statement that %s without end', async (_, sql) => {
    const error = await failureOf({ sql }, { limits: { timeoutMs: 500 } });
    expect(error).toBeInstanceOf(QueryLimitError);
    expect(error).toMatchObject({ limit: 'time', message: 'the statement took longer than 500 ms' });
  });

  test.each([
    ['a value that SQLite builds', `${ENDLESS} select length(group_concat(hex(randomblob(1e6)))) from n limit 1`],
    ['one allocation', 'select length(hex(zeroblob(4e8)))'],
    ['a row of long texts', `select ${Array.from({ length: 8 }, (_, i) => `hex(zeroblob(5e7)) as c${i}`).join(', ')}`],
  ])('of memory ends a statement with %s', async (_, sql) => {
    const error = await failureOf({ sql }, { limits: { memoryBytes: 250e6 } });
    expect(error).toMatchObject({ limit: 'memory', message: 'the statement needed more than 250 MB of memory' });
  });

  test('of memory lets a result pass that is longer', async () => {
    const sql = `${ENDLESS} select hex(zeroblob(100000)) as text from n limit 1100`;
    const out = new PassThrough().resume();
    const request = { db: createStoreFile(), sql, parameters: {}, format: 'jsonl' };
    const limits = { memoryBytes: 200e6 };
    expect(await runQueryProcess(request, { env: buildChildEnvironment(), out, limits })).toEqual({ rows: 1100 });
  });
});

describe('an abort', () => {
  test('ends the statement with its reason', async () => {
    const controller = new AbortController();
    const out = new PassThrough();
    out.once('data', () => controller.abort(new Error('enough')));
    await expect(runApart({ sql: ROWS }, { out, signal: controller.signal })).rejects.toThrow('enough');
  });

  test('leaves no file', async () => {
    const folder = tempDir();
    const controller = new AbortController();
    const output = { path: join(folder, 'rows.csv'), command: '' };
    const onRows = (): void => controller.abort(new Error('enough'));
    const failure = failureOf({ sql: ROWS, output }, { signal: controller.signal, onRows });
    expect(await failure).toMatchObject({ message: 'enough' });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('before the start starts nothing', async () => {
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(runApart({ sql: 'select 1' }, { signal })).rejects.toThrow('too late');
  });
});

describe('an error', () => {
  test('of the statement is a usage error with its hint', async () => {
    const error = await failureOf({ sql: 'select * from userz' });
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({
      message: 'no such table: userz',
      hint: 'Did you mean users?',
      command: { name: 'sql' },
    });
  });

  test('at a row is none', async () => {
    const error = await failureOf({ sql: "select json(column1) from (values ('{'))" });
    expect(error).not.toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ name: 'TrawlError', message: 'malformed JSON' });
  });

  test.each<[what: string, sql: string, parameters: QueryRequest['parameters'], message: string]>([
    ['a parameter without a value', 'select :a, :b', { a: '1' }, 'the parameter :b has no value'],
    ['a value without a parameter', 'select :a', { a: '1', b: '2' }, 'the statement has no parameter :b'],
    ['a parameter without a name', 'select ?', {}, 'the statement has a parameter without a name'],
  ])('is reported for %s', async (_, sql, parameters, message) => {
    const error = await failureOf({ sql, parameters });
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ message });
  });

  test('of the output file names it', async () => {
    const path = join(tempDir(), 'none', 'rows.csv');
    const error = await failureOf({ sql: 'select 1', output: { path, command: '' } });
    expect(error).toMatchObject({ name: 'TrawlError', message: expect.stringContaining(`cannot write ${path}`) });
  });
});

describe('a file', () => {
  const sql =
    "select column1 as id, column2 as n, column3 as text from (values (:id, 1, 'x|y'), (:id, 2, null)) order by n";
  const parameters = { id: '1234567890123456789' };

  async function write(name: string): Promise<{ data: Buffer; sidecar: Sidecar; db: string }> {
    const db = createStoreFile();
    const path = join(tempDir(), name);
    await runApart({ db, sql, parameters, format: path, output: { path, command: 'trawl sql …' } });
    const sidecar = JSON.parse(readFileSync(`${path}.meta.json`, 'utf8')) as Sidecar;
    return { data: readFileSync(path), sidecar, db };
  }

  test('has a sidecar whose statement returns the same rows', async () => {
    const { data, sidecar, db } = await write('rows.csv');
    expect(sidecar).toMatchObject({
      name: 'rows.csv',
      command: 'trawl sql …',
      rows: 2,
      sql,
      parameters,
      excluded: {},
      bytes: data.length,
      sha256: createHash('sha256').update(data).digest('hex'),
      columns: [{ name: 'id' }, { name: 'n' }, { name: 'text' }],
      completeness: {
        lists: [],
        details: [],
      },
    });
    const again = { sql: sidecar.sql, parameters: sidecar.parameters as QueryRequest['parameters'] };
    expect(await runApart({ db, ...again })).toBe(data.toString());
  });
});
