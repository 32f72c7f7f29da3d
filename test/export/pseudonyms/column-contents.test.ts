import { expect, test } from 'vitest';
import { DATASET_TABLES } from '#files/export/dataset/dataset-tables.ts';
import { NETWORK_NAMES } from '#files/export/graph/networks.ts';
import { nodeAttributes } from '#files/export/graph/sql/node-attributes.ts';
import { contentOf, findContent } from '#files/export/pseudonyms/column-contents.ts';
import { READABLE_TABLES } from '#files/export/pseudonyms/pseudonymised-store.ts';
import { openReadOnly } from '#store/sqlite/database.ts';
import { createStoreFile } from '../../support/store-file.ts';

/** The columns of text and numbers that a new store has, by table. */
function readStoreColumns(): Map<string, string[]> {
  using db = openReadOnly(createStoreFile());
  const tables = db.$client
    .prepare(
      "select name from pragma_table_list where schema = 'main' and type <> 'shadow' and name not like 'sqlite\\_%' escape '\\'",
    )
    .pluck()
    .all() as string[];
  const columns = db.$client.prepare('select name from pragma_table_info(?)').pluck();
  return new Map(tables.map((table) => [table, columns.all(table) as string[]]));
}

test('every column of every exported table and network has a content', () => {
  const exported = DATASET_TABLES.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`));
  const nodes = NETWORK_NAMES.flatMap((network) => nodeAttributes(network, true).map(({ name }) => `nodes.${name}`));
  const missing = [...exported, ...nodes].filter(
    (column) => findContent(...(column.split('.') as [string, string])) === undefined,
  );
  expect(missing).toEqual([]);
});

test('a column without a content cannot be exported', () => {
  expect(() => contentOf('users', 'shoe_size')).toThrow('users.shoe_size has no entry');
});

/** Notes, raw pages, errors and the search index: no statement with pseudonyms reads them, nor bookkeeping by default. */
const UNREADABLE = [
  'panel_members',
  'panels',
  'raw_pages',
  'rejects',
  'requests',
  'tweets_fts',
  'users_fts',
  'v_fields_per_day',
  'v_rejects_per_day',
];

test('every table of a store is either readable with pseudonyms, and all its columns have contents, or is not', () => {
  const tables = readStoreColumns();
  const decided = new Set([...READABLE_TABLES, ...UNREADABLE]);
  expect([...tables.keys()].filter((table) => !table.startsWith('_') && !decided.has(table))).toEqual([]);
  expect(READABLE_TABLES.filter((table) => !tables.has(table))).toEqual([]);
  const missing = READABLE_TABLES.flatMap((table) =>
    tables.get(table)!.flatMap((column) => (findContent(table, column) === undefined ? [`${table}.${column}`] : [])),
  );
  expect(missing).toEqual([]);
});

test('the target of a crawl has its kind beside it', () => {
  const isTarget = (table: string, column: string): boolean => String(findContent(table, column)).startsWith('target');
  const stored = [...readStoreColumns()].filter(([table]) => READABLE_TABLES.includes(table));
  const exported = DATASET_TABLES.map(({ name, columns }) => [name, columns.map((column) => column.name)] as const);
  const withTargets = [...stored, ...exported].filter(([table, columns]) =>
    columns.some((column) => isTarget(table, column)),
  );
  expect(withTargets.length).toBeGreaterThan(3);
  expect(withTargets.filter(([, columns]) => !columns.includes('kind'))).toEqual([]);
});
