import { and, desc, inArray } from 'drizzle-orm';
import type { CrawlRow } from '../../store/schema/crawl-row.ts';
import { crawls } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { countRows } from '../count-rows.ts';

export interface CrawlFilter {
  readonly states?: readonly CrawlRow['state'][] | undefined;
  readonly kinds?: readonly string[] | undefined;
  readonly limit: number;
}

/** The newest matching crawls, newest first, and the number of all matching crawls. */
export function listCrawls(db: Db, { states, kinds, limit }: CrawlFilter): { crawls: CrawlRow[]; total: number } {
  const wanted = and(states && inArray(crawls.state, [...states]), kinds && inArray(crawls.kind, [...kinds]));
  // The ids come from an index where one fits; only these rows are read.
  const newest = db.select({ id: crawls.id }).from(crawls).where(wanted).orderBy(desc(crawls.id)).limit(limit);
  return {
    crawls: db.select().from(crawls).where(inArray(crawls.id, newest)).orderBy(desc(crawls.id)).all(),
    total: countRows(db, crawls, wanted),
  };
}
