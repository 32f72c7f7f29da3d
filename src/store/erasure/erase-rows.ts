import type Database from 'better-sqlite3';
import { prepareSearchIndex } from '#store/merge/full-text-index.ts';
import type { ColumnUse } from '#store/schema/tables/columns.ts';
import { quoteName } from '#store/sqlite/quote-name.ts';
import { countErasedItems, eraseCrawls } from './erase-crawls.ts';
import { ERASED_MARK } from './erased-mark.ts';
import { FULL_TEXT_INDEXES, INVENTORY } from './inventory.ts';
import type { MentionsPolicy } from './tombstones.ts';

/** The number of rows of a table that an erasure removes, and of those that it changes. */
export interface TableCounts {
  readonly table: string;
  readonly removed: number;
  readonly changed: number;
}

/** Triggers of the full-text indexes stay: they remove what is indexed. Others would keep what is erased as history. */
const TRIGGERS = `select name, sql from sqlite_schema where type = 'trigger' and name not glob '*_fts_*'`;

interface RowErasure {
  readonly mentions: MentionsPolicy;
  readonly at: number;
  readonly onProgress: (what: string) => void;
}

/**
 * Removes the selected rows, inside the caller's transaction, and what names the accounts in other rows. Returns the counts
 * by table.
 */
export function eraseRows(client: Database.Database, { mentions, at, onProgress }: RowErasure): TableCounts[] {
  const tally = createTally();
  const triggers = client.prepare<[], { readonly name: string; readonly sql: string }>(TRIGGERS).all();
  for (const { name } of triggers) client.exec(`drop trigger ${quoteName(name)}`);
  countErasedItems(client);
  const run = (statements: readonly ErasureStatement[], what: Change): void => {
    for (const { table, sql } of statements) {
      onProgress(`erasing: ${table}`);
      tally.add(table, what, client.prepare(sql).run().changes);
    }
  };
  run(REPLY_CHANGES, 'changed');
  run(listRemovals(mentions), 'removed');
  run(listChanges(mentions), 'changed');
  for (const [table, what, rows] of countCrawlRows(client)) tally.add(table, what, rows);
  eraseCrawls(client, at);
  for (const { sql } of triggers) client.exec(sql);
  prepareSearchIndex({ $client: client })();
  for (const index of FULL_TEXT_INDEXES) {
    onProgress(`merging the index ${index}`);
    client.exec(`insert into ${index} (${index}) values ('optimize')`);
  }
  eraseStatistics(client);
  return tally.list();
}

/** Counts what an erasure would remove and change, without a change. */
export function countErasure(client: Database.Database, mentions: MentionsPolicy): TableCounts[] {
  const tally = createTally();
  const countOf = (table: string, where: string): number =>
    client
      .prepare<[], number>(`select count(*) from ${quoteName(table)} where ${where}`)
      .pluck()
      .get()!;
  const removals = listRemovals(mentions);
  for (const { table, where } of removals) tally.add(table, 'removed', countOf(table, where));
  for (const { table, where } of [...REPLY_CHANGES, ...listChanges(mentions)]) {
    const removal = removals.find((each) => each.table === table);
    tally.add(table, 'changed', countOf(table, removal ? `(${where}) and (${removal.where}) is not true` : where));
  }
  for (const [table, what, rows] of countCrawlRows(client)) tally.add(table, what, rows);
  return tally.list();
}

type Change = 'removed' | 'changed';

/** Adds up rows by table. */
function createTally() {
  const counts = new Map<string, Record<Change, number>>();
  return {
    add(table: string, what: Change, rows: number): void {
      const before = counts.get(table) ?? { removed: 0, changed: 0 };
      counts.set(table, { ...before, [what]: before[what] + rows });
    },
    /** The tables with rows, in the order of the inventory. */
    list: (): TableCounts[] =>
      Object.keys(INVENTORY)
        .map((table) => ({ table, removed: 0, changed: 0, ...counts.get(table) }))
        .filter(({ removed, changed }) => removed + changed > 0),
  };
}

const CRAWL_TABLES = [
  ['crawls', 'changed', 'erased_crawls'],
  ['_steps', 'changed', 'erased_steps'],
  ['raw_pages', 'removed', 'erased_pages'],
] as const;

const countCrawlRows = (client: Database.Database): [table: string, what: Change, rows: number][] =>
  CRAWL_TABLES.map(([table, what, selection]) => [
    table,
    what,
    client.prepare<[], number>(`select count(*) from temp.${selection}`).pluck().get()!,
  ]);

/** ANALYZE stores values of indexed columns as samples; the next ANALYZE takes new ones. */
function eraseStatistics(client: Database.Database): void {
  const hasSamples = client.prepare("select 1 from sqlite_schema where name = 'sqlite_stat4'").get() !== undefined;
  if (hasSamples) client.exec('delete from sqlite_stat4');
}

/** The statements of an erasure, from the inventory of columns. */

/** A condition on a column; `redact`: with this policy only. */
interface Rule {
  readonly where: (column: string) => string;
  readonly set?: (column: string) => string;
  readonly policy?: MentionsPolicy;
}

const inSelection = (name: string) => (column: string) => `${column} in (select id from temp.erased_${name})`;
const call = (name: string) => (column: string) => `${name}(${column})`;

/** Rows that go. */
const ROW_RULES: Partial<Readonly<Record<ColumnUse, Rule>>> = {
  'user key': { where: inSelection('users') },
  'tweet key': { where: inSelection('tweets') },
  'search key': { where: inSelection('searches') },
  'crawl key': { where: inSelection('crawls') },
  'account id': { where: call('is_erased_id') },
  'account handle': { where: call('is_erased_handle') },
  'account target': { where: call('is_account_target') },
  'list target': { where: (column) => `is_erased_list(kind, ${column})` },
  query: { where: call('is_named_in') },
  mention: { where: call('is_erased_handle'), policy: 'redact' },
  link: { where: call('is_named_in'), policy: 'redact' },
};

/** Columns that change in the other rows. */
const COLUMN_RULES: Partial<Readonly<Record<ColumnUse, Rule>>> = {
  'item id': { where: call('is_erased_id'), set: () => "''" },
  'former handle': { where: call('is_erased_handle'), set: () => 'null' },
  notes: { where: call('is_named_in'), set: call('redact') },
  json: { where: (column) => `scrub_json(${column}) <> ${column}`, set: call('scrub_json') },
  words: { where: call('is_named_in'), set: call('redact'), policy: 'redact' },
};

interface ErasureStatement {
  readonly table: string;
  /** The condition of the rows that it removes or changes. */
  readonly where: string;
  readonly sql: string;
}

const rulesOf = (table: string, rules: typeof ROW_RULES, mentions: MentionsPolicy): [column: string, rule: Rule][] =>
  Object.entries(INVENTORY[table]!).flatMap(([column, use]) => {
    const rule = rules[use];
    return rule && (rule.policy ?? mentions) === mentions ? [[quoteName(column), rule]] : [];
  });

/** Returns the statements that remove rows, one for each table that has such rows. */
const listRemovals = (mentions: MentionsPolicy): ErasureStatement[] =>
  Object.keys(INVENTORY).flatMap((table) => {
    const rules = rulesOf(table, ROW_RULES, mentions);
    if (rules.length === 0) return [];
    const where = rules.map(([column, { where: condition }]) => condition(column)).join(' or ');
    return [{ table, where, sql: `delete from ${quoteName(table)} where ${where}` }];
  });

/** Replies of others to the accounts: that they are replies stays. They change before the removals. */
const REPLY_CHANGES: readonly ErasureStatement[] = [
  { table: 'tweets', key: 'id' },
  { table: 'tweet_history', key: 'tweet_id' },
].map(({ table, key }) => {
  const isNamed = `is_erased_id(in_reply_to_user_rest_id) or is_erased_id(in_reply_to_status_rest_id)
    or (in_reply_to_user_rest_id is null and is_erased_handle(in_reply_to_screen_name))`;
  // Without these columns, only the position below the tweet shows that it is a reply.
  const isBelow = `coalesce(in_reply_to_status_rest_id, in_reply_to_user_rest_id, in_reply_to_screen_name) is null
    and id in (select reply_id from tweet_replies where tweet_id in (select id from temp.erased_tweets))`;
  const conditions = table === 'tweets' ? `${isNamed} or ${isBelow}` : isNamed;
  const where = `(${conditions}) and ${key} not in (select id from temp.erased_tweets)`;
  const set = `in_reply_to_status_rest_id = null, in_reply_to_user_rest_id = null, in_reply_to_screen_name = '${ERASED_MARK}'`;
  return { table, where, sql: `update ${table} set ${set} where ${where}` };
});

/** A step `_steps` whose bodies are not stored: they were not kept, were removed, or have expired. */
const LACKS_BODY = `response_roles <> ''
  and (first_raw_page_id is null or first_raw_page_id not in (select id from raw_pages))`;

/**
 * Samples of what pages sent. A sample does not say whose it is: those of erased pages go, and those of pages without a
 * stored body.
 */
const SAMPLES: readonly ErasureStatement[] = [
  {
    table: 'rejects',
    where: `raw_page_id is null or raw_page_id in (select id from temp.erased_pages)
      or raw_page_id not in (select id from raw_pages) or is_named_in(sample)`,
    set: `sample = '${ERASED_MARK}', raw_page_id = case when raw_page_id not in (select id from temp.erased_pages) then raw_page_id end`,
  },
  {
    table: '_dropped_fields',
    where: `is_named_in(sample) or crawl_id in (select crawl_id from _steps
      where id in (select id from temp.erased_steps) or ${LACKS_BODY})`,
    set: `sample = '"${ERASED_MARK}"'`,
  },
  {
    table: '_drift',
    where: `sample is not null and (is_named_in(sample)
      or endpoint in (select endpoint from raw_pages where id in (select id from temp.erased_pages))
      or exists (select 1 from _steps where ${LACKS_BODY}))`,
    set: `sample = '${ERASED_MARK}'`,
  },
].map(({ table, where, set }) => ({ table, where, sql: `update ${table} set ${set} where ${where}` }));

/** Returns the statements that change what is left, after the removals. */
const listChanges = (mentions: MentionsPolicy): ErasureStatement[] => [
  ...SAMPLES,
  ...Object.keys(INVENTORY).flatMap((table) =>
    rulesOf(table, COLUMN_RULES, mentions).map(([column, { where, set }]) => ({
      table,
      where: where(column),
      sql: `update ${quoteName(table)} set ${column} = ${set!(column)} where ${where(column)}`,
    })),
  ),
];
