import { and, eq, isNull, sql } from 'drizzle-orm';
import { StaleLeaseError } from '../errors.ts';
import type { Db } from './database.ts';
import type { HandBack, PageCommit } from './messages.ts';
import { rejectedIn } from './rows.ts';
import { crawls } from './schema.ts';
import { compile } from './statement.ts';

/** What a commit needs to know of its crawl, and the crawls that come of it. */
const { id, kind, target, targetId, options, items, newItems, startedAt, rootId, runId, claimedBy, claimedUntil } =
  crawls;
const leasedColumns = {
  ...{ id, kind, target, targetId, options, items, newItems, startedAt },
  ...{ rootId, runId, claimedBy, claimedUntil },
};

/** Law 3, one writer per crawl: only who holds the newest lease moves it on, or gives it back. */
export function prepareLeases(db: Db) {
  const held = and(
    eq(id, sql.placeholder('id')),
    eq(crawls.lease, sql.placeholder('lease')),
    isNull(crawls.finishedAt),
  );
  const take = db
    .update(crawls)
    .set({
      lease: sql`${crawls.lease} + 1`,
      state: 'running',
      reason: null,
      resumeAt: null,
      startedAt: sql`coalesce(${startedAt}, ${sql.placeholder('at')})`,
      updatedAt: sql`${sql.placeholder('at')}`,
    })
    .where(and(eq(id, sql.placeholder('id')), isNull(crawls.finishedAt)))
    .returning()
    .prepare();
  const find = db
    .select(leasedColumns)
    .from(crawls)
    .where(and(held, sql`${crawls.cursor} is ${sql.placeholder('from')}`))
    .prepare();
  const advance = compile(
    db,
    db
      .update(crawls)
      .set({
        cursor: sql`${sql.placeholder('cursor')}`,
        guard: sql`${sql.placeholder('guard')}`,
        targetId: sql`${sql.placeholder('targetId')}`,
        pages: sql`${crawls.pages} + ${sql.placeholder('pages')}`,
        items: sql`${items} + ${sql.placeholder('items')}`,
        lastItems: sql`coalesce(${sql.placeholder('lastItems')}, ${crawls.lastItems})`,
        newItems: sql`${newItems} + ${sql.placeholder('newItems')}`,
        rejected: sql`${crawls.rejected} + ${sql.placeholder('rejected')}`,
        requests: sql`${crawls.requests} + ${sql.placeholder('requests')}`,
        failures: 0,
        error: null,
        updatedAt: sql`${sql.placeholder('at')}`,
      })
      .where(held),
  );
  const giveBack = db
    .update(crawls)
    .set({
      state: sql`${sql.placeholder('state')}`,
      reason: sql`${sql.placeholder('reason')}`,
      error: sql`${sql.placeholder('error')}`,
      resumeAt: sql`${sql.placeholder('resumeAt')}`,
      failures: sql`${sql.placeholder('failures')}`,
      requests: sql`${crawls.requests} + ${sql.placeholder('requests')}`,
      updatedAt: sql`${sql.placeholder('at')}`,
    })
    .where(held)
    .prepare();

  return {
    /** A new lease, which makes every earlier one stale; undefined when the crawl has ended. */
    take: (crawlId: number, at: number) => take.get({ id: crawlId, at }),

    /**
     * The crawl that a page is to be stored on top of the page before, or not at all: whoever is ahead of the store
     * cannot leave a hole. @throws StaleLeaseError
     */
    hold({ crawlId, lease, from }: Pick<PageCommit, 'crawlId' | 'lease' | 'from'>) {
      const crawl = find.get({ id: crawlId, lease, from });
      if (!crawl) throw stale(crawlId);
      return crawl;
    },

    /** Moves its checkpoint to the page, and adds the page to its counters. */
    advance(page: PageCommit, found: number): void {
      const { crawlId, lease, at, checkpoint, requests } = page;
      const isPage = checkpoint.pages > 0;
      advance.run({
        ...{ id: crawlId, lease, at, ...checkpoint },
        newItems: isPage ? found : 0,
        lastItems: isPage ? checkpoint.items : null,
        rejected: rejectedIn(page),
        requests: requests.length,
      });
    },

    /** @throws StaleLeaseError */
    giveBack({ crawlId, lease, at, state, reason, error, resumeAt, failures, requests }: HandBack): void {
      const { changes } = giveBack.run({
        ...{ id: crawlId, lease, at, state, failures, requests: requests.length },
        ...{ reason: reason ?? null, error: error ?? null, resumeAt: resumeAt ?? null },
      });
      if (changes === 0) throw stale(crawlId);
    },
  };
}

const stale = (crawlId: number): StaleLeaseError =>
  new StaleLeaseError(`crawl ${crawlId} is in other hands now`, {
    hint: 'Another worker took it over, or it has ended.',
  });
