import { and, count, eq, isNotNull, isNull, lt, max, min, or, sql } from 'drizzle-orm';
import { DAY } from '../clock.ts';
import type { Db } from './database.ts';
import { OWNER, SEEN_IN } from './edge-sides.ts';
import { placeholders } from './merge.ts';
import type { CrawlRow, PageCommit } from './messages.ts';
import type { EdgeList } from './rows.ts';
import { completeLists, follows, requests, users } from './schema.ts';
import { compile } from './statement.ts';

export type CompleteListRow = typeof completeLists.$inferSelect;

type ListCrawl = Pick<CrawlRow, 'id' | 'kind' | 'startedAt' | 'items' | 'newItems'>;

/**
 * For so long a service may answer with whom somebody followed before ("cache validity period", spec, Endpoints 5: not
 * shown). An edge that was last seen from the other side may be newer than such an answer.
 */
const CACHED = DAY;
/** A list may be cut short where its account counts so many. */
const LARGE = 1000;

/**
 * Law 7: what a list of followers, or of those whom somebody follows, proves of the edges that it lacks. Only a list
 * that the service itself ended, and of which nothing was set aside, proves anything, and only of edges that were last
 * seen before it began. The first such list makes them missing; one that began after the end of that, ended. At one
 * instant two crawls may have shared one answer: that is one list.
 */
export function prepareCompleteLists(db: Db) {
  const startedAt = sql`${sql.placeholder('startedAt')}`;
  const owner = compile(
    db,
    db
      .select({ id: users.id, followers: users.followersCount, following: users.followingCount })
      .from(users)
      .where(eq(users.restId, sql.placeholder('of'))),
  );
  // Clocks of several machines differ: what counts is when anything of the crawl was seen.
  const span = compile(
    db,
    db
      .select({ first: min(requests.at), last: max(requests.at) })
      .from(requests)
      .where(eq(requests.crawlId, sql.placeholder('crawlId'))),
  );
  const insert = compile(
    db,
    db
      .insert(completeLists)
      .values(placeholders(completeLists, ['crawlId', 'side', 'userId', 'startedAt', 'finishedAt', 'missed', 'ended']))
      .onConflictDoNothing(),
  );
  const prepare = (side: EdgeList['side']) => {
    const isLacked = and(
      eq(OWNER[side], sql.placeholder('userId')),
      isNull(follows.ended),
      lt(follows.lastSeen, startedAt),
      side === 'following'
        ? or(
            eq(follows.seenIn, SEEN_IN.following),
            lt(follows.lastSeen, sql`${startedAt} - ${sql.raw(String(CACHED))}`),
          )
        : undefined,
    );
    return {
      count: compile(
        db,
        db
          .select({ n: count() })
          .from(follows)
          .where(eq(OWNER[side], sql.placeholder('userId'))),
      ),
      end: compile(
        db,
        db
          .update(follows)
          .set({ ended: sql`${follows.firstMissed}` })
          .where(and(isLacked, isNotNull(follows.firstMissed), lt(follows.firstMissed, startedAt))),
      ),
      miss: compile(
        db,
        db
          .update(follows)
          .set({ firstMissed: sql`${sql.placeholder('finishedAt')}` })
          .where(and(isLacked, isNull(follows.firstMissed))),
      ),
    };
  };
  const statements = { followers: prepare('followers'), following: prepare('following') };

  return {
    /** Draws the conclusions from the last page of a crawl, set-wise, once it is stored with so many new items. */
    conclude(crawl: ListCrawl, page: PageCommit, newItems: number): void {
      const isComplete = page.end?.state === 'complete' && page.end.ending === 'served';
      // A profile crawl too may hold a page of followers, but is none of their list.
      const list = isComplete ? page.rows.follows.find(({ side }) => side === crawl.kind) : undefined;
      if (!list) return;
      const { side } = list;
      const [userId, followers, following] = owner.get(list) as [number, number | null, number | null];
      // Lists are closed to strangers too, and large ones cut short (spec, Endpoints 6).
      const shown = crawl.items + page.checkpoint.items;
      const counted = { followers, following }[side];
      const isClosed = shown === 0 && counted !== 0;
      const isCutShort = counted !== null && counted >= LARGE && 2 * shown < counted;
      if (isClosed || isCutShort) return;
      const [first, last] = span.get({ crawlId: crawl.id }) as [number | null, number | null];
      const times = {
        startedAt: Math.min(crawl.startedAt ?? page.at, first ?? page.at, page.at),
        finishedAt: Math.max(last ?? page.at, page.at),
      };
      const { count, end, miss } = statements[side];
      // Where all that are stored were new to this crawl, as in a first one, none need be looked at.
      const isFirst = count.get({ userId })![0] === crawl.newItems + newItems;
      const ended = isFirst ? 0 : end.run({ userId, ...times }).changes;
      const missed = isFirst ? 0 : miss.run({ userId, ...times }).changes;
      insert.run({ crawlId: crawl.id, side, userId, ...times, missed, ended });
    },
  };
}
