import { openConnection } from '../src/store/sqlite/driver.ts';
import { readArguments, report } from './child.ts';

/** Searches a store without an index: reads all texts, and sorts the matches. */

export interface ScanArguments {
  readonly db: string;
  /** Of `like`. */
  readonly patterns: readonly string[];
}

const { db: file, patterns } = readArguments<ScanArguments>();
const db = openConnection(file, { readonly: true });
db.pragma(`mmap_size = ${2 ** 31 - 65_536}`);
const conditions = patterns.map(() => 'text like ?').join(' and ');
// The plus prevents an index on the time, with which a scan for a frequent word would stop early.
const found = db
  .prepare(`select id, text from tweets where ${conditions} order by +created_at desc limit 20`)
  .all(...patterns);
db.close();
report({ found: found.length });
