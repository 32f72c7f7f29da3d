import { and, eq, sql } from 'drizzle-orm';
import { crawls } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** The lists of an account that were once crawled and empty, with their last such crawl, by kind. Later crawls may have found items. */
export const findEmptyLists = (db: Db, restId: string) =>
  db
    // SQLite takes the id from the row with the maximum.
    .select({ kind: crawls.kind, crawlId: crawls.id, finishedAt: sql<number>`max(${crawls.finishedAt})` })
    .from(crawls)
    .where(and(eq(crawls.targetRestId, restId), eq(crawls.state, 'complete'), eq(crawls.reason, 'no_tweets')))
    .groupBy(crawls.kind)
    .orderBy(crawls.kind)
    .all();
