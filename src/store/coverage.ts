import { eq, sql } from 'drizzle-orm';
import type { Db } from './database.ts';
import { placeholders } from './merge.ts';
import type { CrawlEnd, CrawlRow, PageCommit } from './messages.ts';
import { coverage } from './schema.ts';
import { compile } from './statement.ts';

export type CoverageRow = typeof coverage.$inferSelect;

/** How a crawl ended, by itself or by somebody's word. */
type Ended = Pick<CrawlEnd, 'reason' | 'ending'> & Pick<CrawlRow, 'state'>;

export type CoverageWriter = ReturnType<typeof prepareCoverage>;

/** Keeps, per crawl of a list in order of time, the interval that was walked without a gap. */
export function prepareCoverage(db: Db) {
  const extendSpan = compile(
    db,
    db
      .insert(coverage)
      .values({
        ...placeholders(coverage, [
          'kind',
          'target',
          'crawlId',
          'newestId',
          'newestAt',
          'oldestId',
          'oldestAt',
          'pages',
          'items',
          'updatedAt',
        ]),
        bottom: 'open',
      })
      .onConflictDoUpdate({
        target: coverage.crawlId,
        set: {
          oldestId: sql`excluded.oldest_id`,
          oldestAt: sql`excluded.oldest_at`,
          pages: sql`${coverage.pages} + 1`,
          items: sql`${coverage.items} + excluded.items`,
          updatedAt: sql`excluded.updated_at`,
        },
      }),
  );
  const closeSpan = db
    .update(coverage)
    .set({ bottom: sql`${sql.placeholder('bottom')}`, updatedAt: sql`${sql.placeholder('at')}` })
    .where(eq(coverage.crawlId, sql.placeholder('crawlId')))
    .prepare();

  return {
    extend(crawl: Pick<CrawlRow, 'id' | 'kind' | 'target'>, page: PageCommit): void {
      if (!page.covered) return;
      extendSpan.run({
        ...page.covered,
        kind: crawl.kind,
        target: page.checkpoint.targetId ?? crawl.target,
        crawlId: crawl.id,
        pages: 1,
        items: page.checkpoint.items,
        updatedAt: page.at,
      });
    },

    close(crawlId: number, end: Ended, at: number): void {
      closeSpan.run({ crawlId, at, bottom: end.ending ?? end.reason ?? end.state });
    },

    /** The crawl goes on below what it covered. */
    reopen(crawlId: number, at: number): void {
      closeSpan.run({ crawlId, at, bottom: 'open' });
    },
  };
}
