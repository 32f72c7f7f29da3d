import { and, eq, isNull, not, sql } from 'drizzle-orm';
import { type Ending, findShortfall, decideEndState } from '../../kinds/end-states.ts';
import { getKind } from '../../kinds/kinds.ts';
import type { Observation } from '../schema/messages.ts';
import { crawls, rejects, searches, searchHits, tweets, users } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileStatement, placeholder } from '../sqlite/statement.ts';
import type { preparePageWriter } from './page-writer.ts';

/** A stored page, read again by normalisers that may understand more of it. */
export interface ReprocessedPage extends Observation {
  readonly crawlId: number;
  readonly rawPageId: number;
  /** When it was read again. */
  readonly readAt: number;
}

/** What came of it. */
export interface ReprocessResult {
  /** Items that had been set aside and are stored now. */
  readonly resolved: number;
  /** Items that the store did not have. */
  readonly newItems: number;
}

/** Below items that can be read by now, a list goes on as below any others: a crawl need not shun them. */
export const RELEASE_GAPS = `update gaps set reason = 'interrupted' where reason = 'rejected_items'
  and not exists (select 1 from rejects r where r.crawl_id = gaps.crawl_id and r.resolved_at is null)`;

/** What it lacks, another crawl set aside. */
const lacksMore = sql`coalesce(${crawls.checkpoint} ->> '$.hasSkippedRejects', 0)`;

/**
 * Stores what an old page shows by now, as an observation of its time (invariant 6): nothing that is known gets poorer. What
 * it claims stays as it was: the next crawl of the list walks to the gaps that it left, and fills them. A crawl that was
 * partial only for what is now stored came to the end of its list with nothing rejected: its state is that of such an end
 * (invariant 5).
 */
export function prepareReprocessing(db: Db, { storeRows }: Pick<ReturnType<typeof preparePageWriter>, 'storeRows'>) {
  const open = db
    .select({ id: rejects.id, path: rejects.path })
    .from(rejects)
    .where(and(eq(rejects.rawPageId, sql.placeholder('rawPageId')), isNull(rejects.resolvedAt)))
    .prepare();
  const resolve = db
    .update(rejects)
    .set({ resolvedAt: placeholder('at') })
    .where(eq(rejects.id, sql.placeholder('id')))
    .prepare();
  const recount = db
    .update(crawls)
    .set({
      rejectedItems: sql`${crawls.rejectedItems} - ${placeholder('resolved')}`,
      items: sql`${crawls.items} + ${placeholder('newItems')}`,
      newItems: sql`${crawls.newItems} + ${placeholder('newItems')}`,
    })
    .where(eq(crawls.id, sql.placeholder('crawlId')))
    .prepare();
  const cleared = db
    .select({
      ...{ kind: crawls.kind, ending: crawls.ending, items: crawls.items },
      ...{ followersCount: users.followersCount, followingCount: users.followingCount },
    })
    .from(crawls)
    .leftJoin(users, eq(users.restId, crawls.targetRestId))
    .where(
      and(
        ...[eq(crawls.id, sql.placeholder('crawlId')), eq(crawls.state, 'partial')],
        ...[eq(crawls.reason, 'rejected_items'), eq(crawls.rejectedItems, 0), not(lacksMore)],
      ),
    )
    .prepare();
  const finish = db
    .update(crawls)
    .set({ state: placeholder('state'), reason: placeholder('reason') })
    .where(eq(crawls.id, sql.placeholder('crawlId')))
    .prepare();

  /** Gives a crawl the state that its end has now that nothing of it is rejected any more. */
  function clear(crawlId: number): void {
    const crawl = cleared.get({ crawlId });
    if (!crawl) return;
    const { kind, ending, items } = crawl;
    const { edgeSide } = getKind(kind);
    const reason = edgeSide && ending === 'served' ? findShortfall(items, crawl[`${edgeSide}Count`]) : undefined;
    finish.run({
      crawlId,
      state: decideEndState(kind, (ending ?? undefined) as Ending | undefined, reason),
      reason: reason ?? null,
    });
  }
  const openGaps = db.$client.prepare(`${RELEASE_GAPS} and crawl_id = ?`);
  // What it found first is on record; of what is found only now, the place on its page.
  const addHits = compileStatement(
    db
      .insert(searchHits)
      .select(
        sql`select ${searches.id}, ${tweets.id}, key, ${placeholder('at')}, ${placeholder('at')}
          from json_each(${placeholder('tweets')}) join ${tweets} on ${tweets.restId} = value
          join ${searches} on ${searches.query} = ${placeholder('query')} where true`,
      )
      .onConflictDoNothing(),
  );

  return (page: ReprocessedPage): ReprocessResult => {
    const { crawlId, rawPageId, rows, at, readAt } = page;
    const stillRejected = new Set(rows.rejects.map(({ path }) => path));
    const resolved = open.all({ rawPageId }).filter(({ path }) => !stillRejected.has(path));
    const { newItems } = storeRows({ ...rows, search: undefined }, at, 0);
    if (rows.search !== undefined) {
      const found = JSON.stringify(rows.tweets.map(({ restId }) => restId));
      addHits.run({ query: rows.search, tweets: found, at });
    }
    for (const { id } of resolved) resolve.run({ id, at: readAt });
    if (resolved.length > 0) {
      recount.run({ crawlId, resolved: resolved.length, newItems });
      clear(crawlId);
      openGaps.run(crawlId);
    }
    return { resolved: resolved.length, newItems };
  };
}
