import type Database from 'better-sqlite3';
import { markSeed, unmarkSeed } from './deal-facts.ts';

/**
 * The views of a store that the views of facts equal, with the columns that they leave out (decision 72): numbers of the store,
 * what depends on the order in which pages were stored, and causes, which are in crawls.
 */
export const COMPARED_VIEWS: Readonly<Record<string, readonly string[]>> = {
  v_users: ['id', 'changed_at'],
  v_tweets: ['id'],
  v_replies: ['id'],
  v_hashtags_per_day: [],
  v_cohashtags: [],
  v_links: ['id'],
  v_follows: [],
  v_current_follows: [],
  v_follow_changes: ['cause'],
  v_complete_lists: ['missed', 'ended', 'crawl_id'],
  v_deleted_tweets: ['id', 'crawl_id'],
  v_user_changes: ['id'],
  v_user_versions: ['id'],
  v_tweet_changes: ['id'],
  v_tweet_versions: ['id'],
  v_coverage: ['pages', 'items', 'crawl_id', 'updated_at'],
  v_gaps: ['older_rest_id', 'newer_rest_id', 'reason', 'crawl_id', 'updated_at'],
  v_search_windows: ['crawl_id'],
  v_completeness: ['crawl_id', 'new_items', 'pruned', 'pruned_at'],
};

/** The views of earlier values: their first column is the id. */
export const IS_HISTORY = /^v_(?:user|tweet)_(?:changes|versions)$/;

/** Returns the first value of a row. */
export const readFirstValue = (row: string): string => (JSON.parse(row) as [string])[0];

/** Returns the compared columns of a view. */
export function listComparedColumns(db: Database.Database, view: string): string[] {
  const all = db.prepare<[string], string>('select name from pragma_table_info(?)').pluck().all(view);
  return all.filter((name) => !COMPARED_VIEWS[view]!.includes(name));
}

/** Divisions differ in their last digits. */
const round = (value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(9)) : value;

const writeRow = (values: readonly unknown[]): string => JSON.stringify(values.map((value) => round(value ?? null)));

/** The target of a list is its handle or what was requested: no seed is marked there. */
const isUnmarked = (view: string, name: string): boolean => view === 'v_completeness' && name === 'target';

/** Returns the rows of a view of an engine, with the seeds that facts were marked with. */
export const writeEngineRows = (view: string, columns: readonly string[], rows: readonly unknown[][]): string[] =>
  rows.map((row) => writeRow(row.map((value, i) => (isUnmarked(view, columns[i]!) ? unmarkSeed(value) : value))));

/** Returns the rows of a store's views as those of a seed. */
export function readStoreViews(db: Database.Database, seed: number): Map<string, string[]> {
  return new Map(
    Object.keys(COMPARED_VIEWS).map((view) => {
      const columns = listComparedColumns(db, view);
      const rows = db.prepare(`select ${columns.join(', ')} from ${view}`).all() as Record<string, unknown>[];
      const markedRows = rows.map((row) =>
        columns.map((name) => (isUnmarked(view, name) ? row[name] : markValue(row, name, seed))),
      );
      return [view, markedRows.map(writeRow)];
    }),
  );
}

/** Values of a changed column are texts. */
function markValue(row: Readonly<Record<string, unknown>>, name: string, seed: number): unknown {
  const value = row[name];
  if (!['old_value', 'new_value'].includes(name) || value === null) return markSeed(seed, name, value);
  return markSeed(seed, String(row['field']), String(value as string | number));
}
