import { openConnection } from '#store/sqlite/driver.ts';
import { createStoreFile } from '../support/store-file.ts';

/** Rows of a store in the test of a page, by the names of their columns. */
type Row = Readonly<Record<string, string | number | null>>;

/** Adds rows to tables of a store in one transaction. */
export function addRows(path: string, rows: Readonly<Record<string, readonly Row[]>>): void {
  const db = openConnection(path);
  try {
    db.transaction(() => {
      for (const [table, all] of Object.entries(rows)) {
        for (const row of all) {
          const names = Object.keys(row);
          db.prepare(`insert into ${table} (${names.join()}) values (${names.map((name) => `@${name}`).join()})`).run(
            row,
          );
        }
      }
    })();
  } finally {
    db.close();
  }
}

/** Creates a store with these rows; by default, in a file that is removed when the test ends. */
export function createStoreOf(rows: Readonly<Record<string, readonly Row[]>>, file?: string): string {
  const path = createStoreFile(file);
  addRows(path, rows);
  return path;
}

/** A crawl, with what a test says of it. */
export const crawlRow = (row: Row): Row => ({
  kind: 'followers',
  target: `account${row['id']}`,
  options: '{}',
  priority: 'interactive',
  state: 'queued',
  created_at: Date.now() - 6e4,
  updated_at: Date.now() - 1e3,
  ...(['complete', 'capped', 'partial', 'failed', 'cancelled'].includes(String(row['state']))
    ? { finished_at: Date.now() - 1e3 }
    : {}),
  ...row,
});

/** A request of a crawl. */
export const requestRow = (row: Row): Row => ({
  endpoint: 'followers',
  status: 200,
  sent_at: Date.now() - 1e3,
  duration_ms: 50,
  response_bytes: 1e3,
  ...row,
});
