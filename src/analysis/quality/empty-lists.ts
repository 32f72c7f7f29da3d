import { and, desc, eq } from 'drizzle-orm';
import { crawls } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** A list that was crawled and is empty. */
export interface EmptyList {
  readonly kind: string;
  readonly crawlId: number;
  readonly finishedAt: number;
}

/** The lists of an account that were once crawled and empty, with their last such crawl, by kind. Later crawls may have found items. */
export function findEmptyLists(db: Db, restId: string): EmptyList[] {
  const rows = db
    .select({ kind: crawls.kind, crawlId: crawls.id, finishedAt: crawls.finishedAt })
    .from(crawls)
    .where(and(eq(crawls.targetRestId, restId), eq(crawls.state, 'complete'), eq(crawls.reason, 'no_tweets')))
    .orderBy(crawls.kind, desc(crawls.finishedAt))
    .all();
  return rows
    .filter(({ kind }, i) => rows[i - 1]?.kind !== kind)
    .map(({ finishedAt, ...row }) => ({ ...row, finishedAt: finishedAt! }));
}
