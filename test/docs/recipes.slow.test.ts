import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashAccount } from '#store/erasure/tombstones.ts';
import { rowsOf, withWorld } from '../e2e/support.ts';
import { runSuccessfully } from '../support/cli.ts';
import { askDuckDb } from '../support/duckdb.ts';
import { PYTHON } from '../support/programs.ts';
import { createTempDir, tempDir } from '../support/temp.ts';

/** The recipes of docs/recipes.md, run as they are written in a folder with both datasets. */

const page = readFileSync(resolve(import.meta.dirname, '../../docs/recipes.md'), 'utf8');

/** The code of a section, in a language. */
function codeOf(title: string, language: string): string[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${title}\n`));
  const blocks = [...(section ?? '').matchAll(/^```(\w+)\n([^]*?)^```/gm)];
  return blocks.flatMap(([, found, code]) => (found === language ? [code!] : []));
}

const world = withWorld(120, 7);
const folder = createTempDir();

beforeAll(async () => {
  const write = (...args: string[]) =>
    runSuccessfully(['export', 'dataset', '--db', world.file, '-q', ...args], { cwd: folder.path });
  await write('-o', join(folder.path, 'dataset'));
  await write('-o', join(folder.path, 'dataset-csv'), '--format', 'csv');
});
afterAll(() => folder[Symbol.dispose]());

/** The handles with the most tweets, and their numbers of tweets, as the recipes rank them. */
const mostTweets = (): [handle: string, tweets: number][] =>
  rowsOf<{ handle: string; tweets: number }>(
    world.file,
    `select u.screen_name as handle, count(*) as tweets from tweets t join users u on u.id = t.author_id
     group by u.id order by tweets desc, u.screen_name limit 10`,
  ).map(({ handle, tweets }) => [handle, tweets]);

function runProgram(program: string, args: readonly string[], cwd = folder.path): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return stdout;
}

/** The numbers of tweets that a program prints beside handles. */
const countsIn = (output: string): number[] =>
  [...output.matchAll(/\s(\d+)$/gm)].map(([, count]) => Number(count)).toSorted((a, b) => b - a);

describe('DuckDB', () => {
  const statements = codeOf('DuckDB', 'sql');

  test('finds the accounts with the most tweets', async () => {
    const rows = await askDuckDb(folder.path, statements[0]!);
    expect(rows.map(([handle, tweets]) => [handle, Number(tweets)])).toEqual(mostTweets());
  });

  test.each(statements.map((statement, i) => [i + 1, statement] as const))(
    'runs statement %i',
    async (_, statement) => {
      await expect(askDuckDb(folder.path, statement)).resolves.toBeInstanceOf(Array);
    },
  );

  test('counts the tweets of each month', async () => {
    const rows = await askDuckDb(folder.path, statements[1]!);
    const months = rowsOf<{ n: number }>(
      world.file,
      "select count(*) as n from tweets group by strftime('%Y-%m', created_at / 1000, 'unixepoch') order by strftime('%Y-%m', created_at / 1000, 'unixepoch')",
    );
    expect(rows.map(([, tweets]) => Number(tweets))).toEqual(months.map(({ n }) => n));
  });
});

test('the statement of docs/people.md for DuckDB leaves out who was forgotten', async () => {
  const documented = readFileSync('docs/people.md', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('| DuckDB |'))!;
  const [, statement = ''] = /`(.+)`/.exec(documented)!;
  const rows = await askDuckDb(
    folder.path,
    "create table users as select * from (values ('7', 'Ada'), ('8', 'Bob')) users (rest_id, screen_name)",
    "create table _erasures as select 'secret' as key union all select 'of another database'",
    `create table _tombstones as select '${hashAccount('secret', '7')}' as hash`,
    statement.replaceAll(String.raw`\|`, '|'),
  );
  expect(rows).toEqual([['8', 'Bob']]);
});

describe('pandas', () => {
  const [reader = '', single = ''] = codeOf('pandas', 'python');

  test('ranks the accounts by their tweets', () => {
    expect(countsIn(runProgram(PYTHON, ['-c', reader]))).toEqual(mostTweets().map(([, tweets]) => tweets));
  });

  test('reads the same counts, sums and ids as the store has', () => {
    const check = `${reader}
ids = sorted(tweets['rest_id'])
print(len(tweets), tweets['favorite_count'].sum(), ids[0], ids[-1], str(tweets['created_at'].max())[:19])
print(len(users), users['followers_count'].sum(), sorted(users['rest_id'])[-1], users['can_dm'].sum())`;
    const [tweets, users] = runProgram(PYTHON, ['-c', check]).trimEnd().split('\n').slice(-2);
    const read = (sql: string): string => Object.values(rowsOf(world.file, sql)[0]!).join(' ');
    expect(tweets).toBe(
      read(
        "select count(*), sum(favorite_count), min(rest_id), max(rest_id), datetime(max(created_at) / 1000, 'unixepoch') from tweets",
      ),
    );
    expect(users).toBe(read('select count(*), sum(followers_count), max(rest_id), sum(can_dm) from users'));
  });

  test('reads a file of handles that look like missing values', () => {
    const other = tempDir();
    mkdirSync(join(other, 'dataset-csv', 'data'), { recursive: true });
    writeFileSync(
      join(other, 'dataset-csv', 'data', 'users.csv'),
      'rest_id,screen_name,name\n1790000000000000001,NA,null\n',
    );
    const output = runProgram(
      PYTHON,
      ['-c', `import pandas as pd\n${single}\nprint(users.to_csv(index=False))`],
      other,
    );
    expect(output).toContain('1790000000000000001,NA,null');
  });
});

describe('R', () => {
  const [script = ''] = codeOf('R', 'r');

  test('ranks the accounts by their tweets', () => {
    const output = runProgram('Rscript', ['-e', script]);
    for (const [handle] of mostTweets().slice(0, 3)) expect(output).toContain(handle);
  });

  test('reads the same counts, sums and ids as the store has', () => {
    const check = `${script}
cat(nrow(tweets), format(sum(tweets$favorite_count), scientific = FALSE), min(tweets$rest_id), max(tweets$rest_id),
  format(max(tweets$created_at, na.rm = TRUE), "%Y-%m-%d %H:%M:%S"), "\\n")`;
    const line = runProgram('Rscript', ['-e', check]).trimEnd().split('\n').at(-1)!.trim();
    expect(line).toBe(
      Object.values(
        rowsOf(
          world.file,
          "select count(*), sum(favorite_count), min(rest_id), max(rest_id), datetime(max(created_at) / 1000, 'unixepoch') from tweets",
        )[0]!,
      ).join(' '),
    );
  });
});

describe('Datasette', () => {
  test('gets a database with the tables and columns of the dataset', () => {
    const [load = ''] = codeOf('Datasette', 'sh');
    const some = tempDir();
    mkdirSync(join(some, 'dataset-csv', 'data'), { recursive: true });
    for (const name of ['tweets', 'users', 'follows']) {
      const file = join('dataset-csv', 'data', `${name}.csv`);
      copyFileSync(join(folder.path, file), join(some, file));
    }
    // The other pattern of the loop.
    writeFileSync(join(some, 'dataset-csv', 'other.csv'), 'a,b\n1,2\n');
    runProgram('sh', ['-ec', load.replace(/^datasette .*$/m, '')], some);
    const { resources } = JSON.parse(readFileSync(join(folder.path, 'dataset-csv', 'datapackage.json'), 'utf8')) as {
      resources: { name: string; schema: { fields: { name: string }[] } }[];
    };
    const file = join(some, 'dataset.db');
    const found = rowsOf<{ name: string; columns: string }>(
      file,
      `select m.name, json_group_array(c.name) as columns from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table' group by m.name order by m.name`,
    );
    expect(found.map(({ name }) => name)).toEqual(['follows', 'other', 'tweets', 'users']);
    const described = found.map(
      ({ name }) =>
        resources.find((resource) => resource.name === name)?.schema.fields.map((field) => field.name) ?? ['a', 'b'],
    );
    expect(found.map(({ columns }) => JSON.parse(columns) as string[])).toEqual(described);
    expect(rowsOf(file, 'select count(*) as n from tweets')).toEqual(
      rowsOf(world.file, 'select count(*) as n from tweets'),
    );
  });
});
