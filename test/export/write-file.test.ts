import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { SqlValue } from '#analysis/sql/sql-query.ts';
import { TrawlError, UsageError } from '#base/errors.ts';
import { removeAbandonedFiles } from '#base/temporary-files.ts';
import { FORMATS, formatOf } from '#files/export/formats/formats.ts';
import { createOutputFile } from '#files/export/output-file.ts';
import { type ResultSet, toResultSet } from '#files/export/result-set.ts';
import type { RowFacts } from '#files/export/sidecar.ts';
import { writeFile } from '#files/export/write-file.ts';
import { tempDir } from '../support/temp.ts';
import { ORIGIN } from './collect.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = tempDir();
  path = join(folder, 'users.csv');
});

const RESULT = toResultSet({ columns: ['id', 'name'], rows: [['1', 'é']] });
const CSV = 'id,name\n1,é\n';

/** A result whose last row cannot be read. */
const FAILING: ResultSet = {
  ...RESULT,
  rows: {
    *[Symbol.iterator](): Generator<SqlValue[]> {
      for (let i = 0; i < 50_000; i += 1) yield [`${i}`, 'x'];
      throw new TrawlError('the disk cannot be read');
    },
  },
};

const describeFile = (): RowFacts => ({ excluded: {}, completeness: { lists: [], details: [] } });

const write = (result = RESULT, describe?: typeof describeFile) =>
  writeFile({ path, format: FORMATS.csv, result, origin: ORIGIN, describe });

describe('a written file', () => {
  test('has all rows, and its size and checksum are returned', async () => {
    const bytes = Buffer.from(CSV);
    expect(await write()).toEqual({
      path,
      rows: 1,
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    expect(readFileSync(path)).toEqual(bytes);
    expect(readdirSync(folder)).toEqual(['users.csv']);
  });

  test.each(Object.entries(FORMATS))('of the format %s has a number of rows', async (name, format) => {
    // A chart shows 10,000 rows at most.
    const count = name === 'svg' ? 5000 : 25_000;
    const rows = Array.from({ length: count }, (__, i): SqlValue[] => [BigInt(i), BigInt(i % 7)]);
    const result = toResultSet({ columns: ['n', 'rest'], rows });
    expect(await writeFile({ path, format, result, origin: ORIGIN })).toMatchObject({
      rows: count,
      bytes: statSync(path).size,
    });
  });

  test('has a sidecar that describes it, with all digits of the parameters', async () => {
    const { sha256 } = await write(RESULT, describeFile);
    expect(readdirSync(folder).toSorted()).toEqual(['users.csv', 'users.csv.meta.json']);
    expect(JSON.parse(readFileSync(`${path}.meta.json`, 'utf8'))).toMatchObject({
      name: 'users.csv',
      rows: 1,
      bytes: Buffer.byteLength(CSV),
      sha256,
      parameters: {
        id: '1152921504606846976',
        n: 1,
      },
    });
  });

  test('is readable by its owner only, and keeps the permissions of the file that it replaces', async () => {
    await write();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o640);
    await write();
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  test('replaces the file that a link leads to', async () => {
    const target = join(folder, 'target.csv');
    writeFileSync(target, 'old');
    symlinkSync(target, path);
    await write();
    expect(readlinkSync(path)).toBe(target);
    expect(readFileSync(target, 'utf8')).toBe(CSV);
  });

  test('is reported in steps', async () => {
    const reports: number[] = [];
    const rows = Array.from({ length: 25_000 }, (_, i): SqlValue[] => [BigInt(i)]);
    const result = toResultSet({ columns: ['n'], rows });
    for (const format of [FORMATS.csv, FORMATS.jsonl, FORMATS.xlsx]) {
      await writeFile({ path, format, result, origin: ORIGIN, onRows: (n) => reports.push(n) });
    }
    expect(reports).toEqual([10_000, 20_000, 10_000, 20_000, 10_000, 20_000]);
  });
});

describe.each(['csv', 'json', 'jsonl', 'markdown', 'table', 'parquet', 'xlsx'] as const)('a failed %s file', (name) => {
  const fail = async (result: ResultSet, signal?: AbortSignal): Promise<unknown> =>
    await writeFile({
      path,
      format: FORMATS[name],
      result,
      origin: ORIGIN,
      describe: describeFile,
      signal,
    }).catch((error: unknown) => error);

  test('leaves nothing, and keeps an earlier file', async () => {
    writeFileSync(path, 'earlier');
    expect(await fail(FAILING)).toMatchObject({ message: 'the disk cannot be read' });
    expect(readdirSync(folder)).toEqual(['users.csv']);
    expect(readFileSync(path, 'utf8')).toBe('earlier');
  });

  test('leaves nothing after an abort', async () => {
    const controller = new AbortController();
    const reason = new Error('interrupted');
    const rows = {
      *[Symbol.iterator](): Generator<SqlValue[]> {
        for (let i = 0; i < 1_000_000; i += 1) {
          if (i === 30_000) controller.abort(reason);
          yield [`${i}`, 'x'];
        }
      },
    };
    expect(await fail({ ...RESULT, rows }, controller.signal)).toBe(reason);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a path', () => {
  test('a database, even of another program, is never replaced', async () => {
    const database = new Uint8Array(Buffer.from('SQLite format 3\0 and its pages'));
    writeFileSync(path, database);
    await expect(createOutputFile(path)).rejects.toThrow(UsageError);
    expect(new Uint8Array(readFileSync(path))).toEqual(database);
    expect(readdirSync(folder)).toEqual([basename(path)]);
  });

  test('that is a folder or a device is refused', async () => {
    mkdirSync(path);
    await expect(write()).rejects.toThrow(UsageError);
    await expect(writeFile({ path: '/dev/null', format: FORMATS.csv, result: RESULT, origin: ORIGIN })).rejects.toThrow(
      'cannot write /dev/null: it is not a regular file',
    );
  });

  test('in a folder that does not exist is reported', async () => {
    path = join(folder, 'none', 'users.csv');
    await expect(write()).rejects.toThrow(`cannot write ${path}: no such file or directory`);
  });

  test.each([
    ['users.csv', 'csv'],
    ['a.b/Users.CSV', 'csv'],
    ['users.ndjson', 'jsonl'],
    ['users.md', 'markdown'],
    ['parquet', 'parquet'],
    ['table', 'table'],
  ] as const)('%s has the format %s', (nameOrPath, name) => {
    expect(formatOf(nameOrPath)).toBe(FORMATS[name]);
  });

  test.each(['users', 'users.doc', 'csv/', '__proto__'])('%s belongs to no format', (unknown) => {
    expect(() => formatOf(unknown)).toThrow(UsageError);
  });
});

describe('temporary files', () => {
  /** A process id that no process has. */
  const ENDED = 2 ** 22 + 1;

  test('of ended processes are deleted, and those of others are not', async () => {
    writeFileSync(`${path}.${ENDED}.partial`, 'x');
    const others = [`users.csv.${process.ppid}.partial`, `tweets.csv.${ENDED}.partial`, 'users.csv.partial'];
    for (const name of others) writeFileSync(join(folder, name), 'x');
    removeAbandonedFiles(path);
    expect(readdirSync(folder).toSorted()).toEqual(others.toSorted());
  });

  test('become the file only by a commit', async () => {
    {
      await using file = await createOutputFile(path);
      await file.write('all');
      await file.finish();
      expect(readdirSync(folder)).toEqual([`users.csv.${process.pid}.partial`]);
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});
