import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { rowsOf, valueOf, withWorld } from '../../e2e/support.ts';
import { createDataset, findBrokenKeys, newFolder, openDataset, readDataPackage } from './support.ts';

const world = withWorld(150, 3);

const FORMATS = ['csv', 'parquet'] as const;

/** The rows of tables of a store, as their files have them. */
const TABLES: Readonly<Record<string, { store: string; dataset: string }>> = {
  users: {
    store: 'select rest_id, followers_count from users',
    dataset: 'rest_id, cast(followers_count as integer)',
  },
  tweets: {
    store: 'select rest_id, favorite_count, text from tweets',
    dataset: 'rest_id, cast(favorite_count as integer), text',
  },
  follows: {
    store: `select r.rest_id, e.rest_id as followee from follows f join users r on r.id = follower_id
      join users e on e.id = followee_id`,
    dataset: 'follower_rest_id, followee_rest_id',
  },
  media: {
    store: 'select url, position from media',
    dataset: 'url, cast(position as integer)',
  },
  hashtags: { store: 'select tag from tweet_hashtags', dataset: 'tag' },
  community_tweets: {
    store: `select c.rest_id, t.rest_id as tweet from community_tweets m join communities c on c.id = m.community_id
      join tweets t on t.id = m.tweet_id`,
    dataset: 'community_rest_id, tweet_rest_id',
  },
};

const toText = (rows: readonly unknown[][]): string =>
  rows
    .map((row) => JSON.stringify(row))
    .toSorted()
    .join('\n');

const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

describe.each(FORMATS)('a dataset as %s', (format) => {
  it('has all rows of its tables', async () => {
    const ask = await openDataset(await createDataset(world.file, { format }));
    for (const [name, { store, dataset }] of Object.entries(TABLES)) {
      const stored = toText(rowsOf(world.file, store).map((row) => Object.values(row)));
      expect(stored, name).not.toBe('');
      expect(toText(ask(`select ${dataset} from ${name}`)), name).toBe(stored);
    }
  });

  it('describes each column of each file, with keys that hold, sizes and checksums', async () => {
    const folder = await createDataset(world.file, { format });
    const { resources } = readDataPackage(folder);
    const ask = await openDataset(folder);
    for (const { name: table, path, schema, bytes, hash } of resources) {
      const columns = ask(`select name from pragma_table_info('${table}')`);
      expect(schema.fields.map(({ name }) => name)).toEqual(columns.flat());
      expect(schema.fields.filter(({ description }) => description === '')).toEqual([]);
      const file = join(folder, path as string);
      expect([hash, bytes]).toEqual([`sha256:${digestOf(file)}`, statSync(file).size]);
    }
    expect(resources.filter(({ schema }) => schema.foreignKeys).map(({ name }) => name)).toContain('follows');
    expect(await findBrokenKeys(folder)).toEqual([]);
    const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
    const listed = sums.map((line) => line.split('  '));
    expect(listed).toEqual(listed.map(([, name]) => [digestOf(join(folder, name!)), name]));
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const names = files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
    expect(new Set([...listed.map(([, name]) => name), 'CITATION.cff', 'SHA256SUMS'])).toEqual(new Set(names));
  });
});

describe('a selection', () => {
  /** The account with the most tweets. */
  const findAuthor = () =>
    rowsOf<{ restId: string; id: number }>(
      world.file,
      'select u.rest_id as restId, u.id from tweets t join users u on u.id = t.author_id group by u.id order by count(*) desc limit 1',
    )[0]!;

  const readIds = async (folder: string, name: string, column: string): Promise<unknown[]> =>
    (await openDataset(folder))(`select ${column} from ${name} order by 1`).flat();

  it('of accounts has their tweets and edges, and the accounts at the other end of the edges', async () => {
    const { restId, id: key } = findAuthor();
    const folder = await createDataset(world.file, { selection: { accountRestIds: [restId] } });
    const stored = (sql: string) => rowsOf<{ id: string }>(world.file, sql, key).map((row) => row.id);
    expect(await readIds(folder, 'tweets', 'rest_id')).toEqual(
      stored('select rest_id as id from tweets where author_id = ? order by 1'),
    );
    expect(await readIds(folder, 'users', 'rest_id')).toEqual(
      stored(`with one(id) as (select ?) select rest_id as id from users where id in one
        or id in (select follower_id from follows where followee_id in one)
        or id in (select followee_id from follows where follower_id in one) order by 1`),
    );
    expect(await findBrokenKeys(folder)).toEqual([]);
  });

  it('of a range of time has the tweets of that time with their parts, and all accounts', async () => {
    const middle = valueOf(world.file, 'select avg(created_at) from tweets');
    const folder = await createDataset(world.file, { selection: { since: Math.round(middle) } });
    expect(await readIds(folder, 'tweets', 'rest_id')).toEqual(
      rowsOf<{ id: string }>(
        world.file,
        'select rest_id as id from tweets where created_at >= ? order by 1',
        Math.round(middle),
      ).map(({ id }) => id),
    );
    expect(await readIds(folder, 'users', 'rest_id')).toHaveLength(150);
    expect(await findBrokenKeys(folder)).toEqual([]);
  });
});

describe('the description', () => {
  it('names the title, the authors and the publisher, once they are known', async () => {
    const folder = await createDataset(world.file, {
      metadata: {
        title: 'Corrections: *when* | "how"',
        authors: ['Doe, Jane', 'Institute of Corrections'],
        publisher: 'Example University',
        statements: { purpose: ['To learn\nhow'], ethicsRef: ['2026-17'] },
      },
    });
    const citation = parse(readFileSync(join(folder, 'CITATION.cff'), 'utf8')) as Record<string, unknown>;
    expect(citation).toMatchObject({
      'cff-version': '1.2.0',
      type: 'dataset',
      title: 'Corrections: *when* | "how"',
      authors: [
        {
          'family-names': 'Doe',
          'given-names': 'Jane',
        },
        { name: 'Institute of Corrections' },
      ],
      'preferred-citation': {
        type: 'data',
        publisher: { name: 'Example University' },
        year: new Date().getUTCFullYear(),
      },
    });
    expect(citation['date-released']).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    const readme = readFileSync(join(folder, 'README.md'), 'utf8');
    expect(readme).toMatch(/^# Corrections: \\\*when\\\* \\\| "how"\n/);
    expect(readme).toContain('- Purpose: To learn how\n- Ethics: 2026-17\n- Retention: not stated\n');
    expect(readDataPackage(folder)).toMatchObject({
      contributors: [
        { title: 'Doe, Jane', role: 'author' },
        { title: 'Institute of Corrections', role: 'author' },
        { title: 'Example University', role: 'publisher' },
      ],
    });
  });

  it('says what is not known, states the dialect of csv files, and has rows and columns of each file', async () => {
    const folder = await createDataset(world.file);
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    expect(parse(read('CITATION.cff'))).toMatchObject({
      authors: [{ name: ':tba' }],
      'preferred-citation': { publisher: { name: ':tba' } },
    });
    const { resources } = JSON.parse(read('datapackage.json')) as {
      resources: { profile: string; dialect?: object }[];
    };
    for (const { profile, dialect } of resources) {
      expect(profile).toBe('tabular-data-resource');
      expect(dialect).toMatchObject({ delimiter: ',', doubleQuote: true });
    }
    expect(read('README.md')).toContain('| `data/users.csv` | 150 | Accounts |');
    const dictionary = read('DATA_DICTIONARY.md');
    for (const { name, schema } of readDataPackage(folder).resources) {
      expect(dictionary).toContain(`\n## ${name}\n`);
      for (const field of schema.fields) expect(dictionary).toContain(`| \`${field.name}\` |`);
    }
  });

  it('has the command, and for each file the SQL that returns its rows', async () => {
    const folder = await createDataset(world.file);
    const { trawl, resources } = readDataPackage(folder);
    expect(trawl).toMatchObject({ command: 'trawl export dataset', hidden: { deletedTweets: 0 } });
    for (const {
      path,
      trawl: { rows, sql, parameters },
    } of resources)
      expect([path, rowsOf(world.file, sql, parameters).length]).toEqual([path, rows]);
  });
});

it('leaves nothing when it is interrupted half-way', async () => {
  const path = newFolder();
  const controller = new AbortController();
  const reason = new Error('interrupted');
  const writing = createDataset(world.file, {
    path,
    signal: controller.signal,
    onProgress: ({ table }) => {
      if (table === 'follows') controller.abort(reason);
    },
  });
  await expect(writing).rejects.toBe(reason);
  expect(readdirSync(dirname(path))).toEqual([]);
});
