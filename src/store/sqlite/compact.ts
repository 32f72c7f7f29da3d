import type { Db } from './database.ts';

/**
 * Returns the free pages of a file to the disk, and removes what is left of deleted rows from the full-text indexes, the free
 * parts of pages and the write-ahead log. Needs as much free space as the file has. Returns whether the log is empty: a
 * process that reads keeps it. @throws SQLITE_BUSY if another process writes for 10 s
 */
export function compactDatabase({ $client }: Db): boolean {
  for (const index of ['tweets_fts', 'users_fts']) $client.exec(`insert into ${index} (${index}) values ('optimize')`);
  $client.exec('vacuum');
  const [{ busy }] = $client.pragma('wal_checkpoint(truncate)') as [{ busy: 0 | 1 }];
  return busy === 0;
}
