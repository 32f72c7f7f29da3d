import { type SQL, sql } from 'drizzle-orm';
import type { Db } from './database.ts';
import { crawls } from './schema.ts';
import { compile, type Statement } from './statement.ts';

/** Moves a crawl's checkpoint to the page that was stored, and adds the page to its counters. */
export function prepareAdvance(db: Db, held: SQL | undefined): Statement {
  return compile(
    db,
    db
      .update(crawls)
      .set({
        cursor: sql`${sql.placeholder('cursor')}`,
        guard: sql`${sql.placeholder('guard')}`,
        targetId: sql`${sql.placeholder('targetId')}`,
        pages: sql`${crawls.pages} + ${sql.placeholder('pages')}`,
        items: sql`${crawls.items} + ${sql.placeholder('items')}`,
        lastItems: sql`coalesce(${sql.placeholder('lastItems')}, ${crawls.lastItems})`,
        newItems: sql`${crawls.newItems} + ${sql.placeholder('newItems')}`,
        rejected: sql`${crawls.rejected} + ${sql.placeholder('rejected')}`,
        requests: sql`${crawls.requests} + ${sql.placeholder('requests')}`,
        failures: 0,
        error: null,
        updatedAt: sql`${sql.placeholder('at')}`,
      })
      .where(held),
  );
}
