import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { getTableColumns, getTableName, is } from 'drizzle-orm';
import { type SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as schema from '#store/schema/tables.ts';
import { type Db, openDatabase } from '#store/sqlite/database.ts';
import { COMMON_COLUMNS } from './view-description.ts';
import { VIEW_DESCRIPTIONS } from './view-descriptions.ts';

/**
 * Writes docs/reference/data-dictionary.md from the comments of src/store/schema/tables, view-descriptions.ts and the schema of a
 * migrated database. A test fails if it is out of date.
 */

const root = resolve(import.meta.dirname, '..');
export const DICTIONARY = join(root, 'docs/reference/data-dictionary.md');

const HEADER = `# Data dictionary

Generated from \`src/store/schema/tables/\` and \`migrations/\` by \`npm run docs:dictionary\`: edit those, not this.

Times are milliseconds since the epoch, UTC: \`datetime(created_at / 1000, 'unixepoch')\` formats one. \`id\` is the store's
number, which tables use to refer to each other; \`rest_id\` is the service's id, always text. A flag is 0 or 1. Null means
that the service has not shown the value.

Views begin with \`v_\`. They have handles, the service's ids, and times in ISO 8601 (\`2025-01-31T12:00:00.000Z\`, which
sorts and compares as text). Handles are compared without regard to case. [Saved queries](queries.md) use them.

Names of [internal tables](#internal-tables) begin with \`_\`. Their columns may change in any version.
`;

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  readonly pk: number;
}

/** The dictionary as Markdown. */
export function renderDictionary(): string {
  return withStore((db) => {
    const tables = readTables().map(({ table, comments }) => ({ name: getTableName(table), table, comments }));
    const views = describeViews(db);
    const sections = [
      ...tables.filter(isPublic).map(({ table, comments }) => renderTable(db, table, comments)),
      ...views.filter(isPublic).map(renderView),
    ];
    const internal = [...tables.map(({ name, comments }) => ({ name, summary: comments.table })), ...views].filter(
      (it) => !isPublic(it),
    );
    const contents = sections.map((section) => /^## (\w+)/.exec(section)![1]!);
    return [
      HEADER,
      `${contents.map((name) => `[${name}](#${name})`).join(' · ')}\n`,
      ...sections,
      '## Internal tables\n',
      ...internal.map(({ name, summary }) => `- \`${name}\`: ${summary}`),
      '',
    ].join('\n');
  });
}

const isPublic = ({ name }: { readonly name: string }): boolean => !name.startsWith('_');

/** Runs `fn` with a new store. */
export function withStore<T>(fn: (db: Db) => T): T {
  const directory = mkdtempSync(join(tmpdir(), 'trawl-dictionary-'));
  const db = openDatabase(join(directory, 'store.db'));
  try {
    return fn(db);
  } finally {
    db.$client.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

export interface Comments {
  readonly table: string;
  /** By the property's name in the schema. */
  readonly columns: ReadonlyMap<string, string>;
}

/** Returns the comments of tables and their columns, by the name of the export. */
function readComments(source: string): Map<string, Comments> {
  const blocks = source.split(/(?=^\/\*\*)/m);
  return new Map(
    blocks.flatMap((block) => {
      const table = /^\/\*\*(.*?)\*\/\s*export const (\w+) = sqliteTable\(/s.exec(block);
      if (!table) return [];
      const columns = [...block.matchAll(/^\s+\/\*\*((?:(?!\*\/).)*)\*\/\s*(\w+):/gms)];
      return [
        [
          table[2]!,
          { table: oneLine(table[1]!), columns: new Map(columns.map(([, text, key]) => [key!, oneLine(text!)])) },
        ] as const,
      ];
    }),
  );
}

const oneLine = (comment: string): string => comment.replace(/\s*\n\s*\*?\s*/g, ' ').trim();

/** The subjects of the tables, each a file. */
const ORDER = [
  'user',
  'tweet',
  'follow',
  'group',
  'panel',
  'crawl',
  'coverage',
  'job',
  'journal',
  'service',
  'erasure',
  'ship',
  'setting',
];

/** Every table with its comments, by subject. @throws if one has no comment */
export function readTables(): { readonly table: SQLiteTable; readonly comments: Comments }[] {
  const folder = join(root, 'src', 'store', 'schema', 'tables');
  const comments = new Map(
    ORDER.flatMap((subject) => [...readComments(readFileSync(join(folder, `${subject}-tables.ts`), 'utf8'))]),
  );
  const tables = new Map(
    Object.entries(schema).flatMap(([key, it]) => (is(it, SQLiteTable) ? [[key, it] as const] : [])),
  );
  const bare = [...tables.keys()].filter((key) => !comments.has(key));
  if (bare.length > 0)
    throw new Error(
      `no comment stands above these tables of src/store/schema/tables, or ORDER lacks their file: ${bare.join(', ')}`,
    );
  return [...comments].map(([key, words]) => ({ table: tables.get(key)!, comments: words }));
}

function renderTable(db: Db, table: SQLiteTable, comments: Comments): string {
  const name = getTableName(table);
  const flags = Object.values<SQLiteColumn>(getTableColumns(table)).filter(({ dataType }) => dataType === 'boolean');
  const texts = commentsByName(table, comments);
  const columns = db.$client.pragma(`table_info('${name}')`) as Column[];
  const rows = columns.map(({ name: column, type, pk, notnull, dflt_value: standard }) => {
    const isFlag = flags.some((flag) => flag.name === column);
    const words = [
      isFlag ? 'flag' : type.toLowerCase(),
      pk || notnull ? 'not null' : '',
      standard === null ? '' : `default ${standard}`,
    ];
    return renderColumn(`${column}\` ${words.filter(Boolean).join(', ')}`, texts.get(column));
  });
  return [`## ${name}\n`, `${comments.table}\n`, ...rows, '', `Keys: ${keys(db, name, columns).join('; ')}.`, ''].join(
    '\n',
  );
}

/** One line for a column. */
const renderColumn = (column: string, text: string | undefined): string => `- \`${column}${text ? `: ${text}` : ''}`;

/** Describes the primary key and the indexes. */
function keys(db: Db, table: string, columns: readonly Column[]): string[] {
  const primary = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
  const indexes = db.$client
    .prepare(
      `select name, sql from sqlite_schema where type = 'index' and tbl_name = ? and sql is not null order by name`,
    )
    .all(table) as { name: string; sql: string }[];
  return [
    `primary key (${primary.map(({ name }) => name).join(', ')})`,
    ...indexes.map(({ name, sql }) => {
      const over = sql.slice(sql.indexOf('(')).replace(/[`"]/g, '').replaceAll(`${table}.`, '').replaceAll(',', ', ');
      return `${/^create unique/i.test(sql) ? 'unique' : 'index'} \`${name}\` ${over}`;
    }),
  ];
}

/** Describes a view or virtual table, which only migrations define. */
function renderView({ name, summary, columns, isDescribed }: ReturnType<typeof describeViews>[number]): string {
  const listed = isDescribed
    ? Object.entries(columns)
        .map(([column, text]) => renderColumn(`${column}\``, text))
        .join('\n')
    : `Columns: ${Object.keys(columns)
        .map((column) => `\`${column}\``)
        .join(', ')}`;
  return `## ${name}\n\n${summary}\n\n${listed}\n`;
}

/**
 * Returns the descriptions of views and virtual tables with those of their columns: of the view itself, of the column of a
 * table that it shows, or that of all views. @throws if one is missing, or describes what is not there
 */
export function describeViews(db: Db) {
  const tables = new Map(
    readTables().map(({ table, comments }) => [getTableName(table), commentsByName(table, comments)]),
  );
  const names = db.$client
    .prepare(
      `select name from pragma_table_list where schema = 'main' and type in ('view', 'virtual') order by type, name`,
    )
    .pluck()
    .all() as string[];
  return names.map((name) => {
    const view = VIEW_DESCRIPTIONS[name];
    if (!view) throw new Error(`scripts/view-descriptions.ts does not describe ${name}`);
    const { summary, of = [], columns: own } = view;
    const columns = (db.$client.pragma(`table_info('${name}')`) as Column[]).map((column) => column.name);
    const textOf = (column: string): string | undefined =>
      own?.[column] ?? of.map((table) => tables.get(table)!.get(column)).find(Boolean) ?? COMMON_COLUMNS[column];
    const wrong = own
      ? [
          ...columns.filter((column) => !textOf(column)),
          ...Object.keys(own).filter((column) => !columns.includes(column)),
        ]
      : [];
    if (wrong.length > 0)
      throw new Error(`scripts/view-descriptions.ts and the columns of ${name} differ: ${wrong.join(', ')}`);
    return {
      name,
      summary,
      isDescribed: own !== undefined,
      columns: Object.fromEntries(columns.map((column) => [column, own ? textOf(column)! : ''])),
    };
  });
}

/** The comments of columns by their names in SQL. */
export const commentsByName = (table: SQLiteTable, { columns }: Comments): Map<string, string> =>
  new Map(
    Object.entries(getTableColumns(table)).flatMap(([key, column]): [string, string][] =>
      columns.has(key) ? [[column.name, columns.get(key)!]] : [],
    ),
  );

if (process.argv[1] === import.meta.filename) writeFileSync(DICTIONARY, renderDictionary());
