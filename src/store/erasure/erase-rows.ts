import type Database from 'better-sqlite3';
import { quoteName } from '../sqlite/quote-name.ts';
import { countErasedItems, eraseCrawls } from './erase-crawls.ts';
import { type ErasureStatement, listChanges, listRemovals, REPLY_CHANGES } from './erasure-statements.ts';
import { FULL_TEXT_INDEXES, INVENTORY } from './inventory.ts';
import type { MentionsPolicy } from './tombstones.ts';

/** The number of rows of a table that an erasure removes, and of those that it changes. */
export interface TableCounts {
  readonly table: string;
  readonly removed: number;
  readonly changed: number;
}

/** Triggers of the full-text indexes stay: they remove what is indexed. Others would keep what is erased as history. */
const TRIGGERS = `select name, sql from sqlite_schema where type = 'trigger'
  and not (sql like '%INTO \`tweets_fts\`%' or sql like '%INTO \`users_fts\`%')`;

interface RowErasure {
  readonly mentions: MentionsPolicy;
  readonly at: number;
  readonly onProgress: (what: string) => void;
  /** Crawls have the numbers of erased items already. */
  readonly areItemsCounted: boolean;
}

/**
 * Removes the selected rows, inside the caller's transaction, and what names the accounts in other rows. Returns the counts
 * by table.
 */
export function eraseRows(
  client: Database.Database,
  { mentions, at, onProgress, areItemsCounted }: RowErasure,
): TableCounts[] {
  const tally = createTally();
  const triggers = client.prepare<[], { readonly name: string; readonly sql: string }>(TRIGGERS).all();
  for (const { name } of triggers) client.exec(`drop trigger ${quoteName(name)}`);
  countErasedItems(client, areItemsCounted);
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
