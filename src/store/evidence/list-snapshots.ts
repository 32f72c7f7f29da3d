import { and, count, eq, gte, isNotNull, isNull, lt, max, min, or, sql } from 'drizzle-orm';
import { DAY } from '../../clock.ts';
import { findShortfall, type CrawlEnd } from '../../kinds/end-states.ts';
import { getKind } from '../../kinds/kinds.ts';
import type { CrawlRow } from '../schema/crawl-row.ts';
import { OWNER_COLUMN, LAST_SEEN_IN } from '../schema/edge-sides.ts';
import type { PageCommit } from '../schema/messages.ts';
import type { EdgeList, PageRows } from '../schema/rows.ts';
import { listSnapshots, follows, requests, users } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileStatement, bound, placeholders } from '../sqlite/statement.ts';

export type ListSnapshotRow = typeof listSnapshots.$inferSelect;

type ListCrawl = Pick<CrawlRow, 'id' | 'kind' | 'startedAt' | 'items' | 'newItems'>;

/**
 * For so long a service may answer with whom somebody followed before ("cache validity period", spec, Endpoints 5: not
 * shown). An edge that was last seen from the other side may be newer than such an answer.
 */
const CACHED = DAY;
/**
 * Invariant 7: what a list of followers, or of those whom somebody follows, proves of the edges that it lacks. Only a list
 * that the service itself ended, and of which nothing was set aside, proves anything, and only of edges that were last
 * seen before it began. The first such list makes them missing; one that began after the end of that, ended. At one
 * instant two crawls may have shared one answer: that is one list. Two lists of followed accounts with equal bytes that
 * begin within `CACHED` may be copies of one cached answer: that is one list, too.
 */
export function prepareListSnapshots(db: Db) {
  const startedAt = bound.startedAt;
  const owner = compileStatement(
    db
      .select({ id: users.id, followers: users.followersCount, following: users.followingCount })
      .from(users)
      .where(eq(users.restId, bound.owner)),
  );
  // Clocks of several machines differ: what counts is when anything of the crawl was seen.
  const span = compileStatement(
    db
      .select({ first: min(requests.sentAt), last: max(requests.sentAt) })
      .from(requests)
      .where(eq(requests.crawlId, bound.crawlId)),
  );
  const insert = compileStatement(
    db
      .insert(listSnapshots)
      .values(
        placeholders(listSnapshots, [
          ...(['crawlId', 'side', 'userId', 'startedAt', 'finishedAt'] as const),
          ...(['missedCount', 'endedCount', 'bodyDigest'] as const),
        ]),
      )
      .onConflictDoNothing(),
  );
  /** Lists of an account that a list may be a copy of; one whose bytes are not known may be any. */
  const copied = compileStatement(
    db
      .select({ finishedAt: listSnapshots.finishedAt })
      .from(listSnapshots)
      .where(
        and(
          eq(listSnapshots.userId, bound.userId),
          eq(listSnapshots.side, 'following'),
          sql`${listSnapshots.startedAt} > ${startedAt} - ${sql.raw(String(CACHED))}`,
          or(
            isNull(listSnapshots.bodyDigest),
            sql`coalesce(${bound.digest}, ${listSnapshots.bodyDigest}) = ${listSnapshots.bodyDigest}`,
          ),
        ),
      ),
  );
  const prepare = (side: EdgeList['side']) => {
    const isLacked = and(
      eq(OWNER_COLUMN[side], bound.userId),
      isNull(follows.endedAt),
      lt(follows.lastSeenAt, startedAt),
      side === 'following'
        ? or(
            eq(follows.lastSeenIn, LAST_SEEN_IN.following),
            lt(follows.lastSeenAt, sql`${startedAt} - ${sql.raw(String(CACHED))}`),
          )
        : undefined,
    );
    return {
      count: compileStatement(db.select({ n: count() }).from(follows).where(eq(OWNER_COLUMN[side], bound.userId))),
      seen: compileStatement(
        db
          .select({ n: count() })
          .from(follows)
          .where(and(eq(OWNER_COLUMN[side], bound.userId), gte(follows.lastSeenAt, startedAt))),
      ),
      end: compileStatement(
        db
          .update(follows)
          .set({ endedAt: sql`${follows.firstMissedAt}` })
          .where(
            and(
              ...[isLacked, isNotNull(follows.firstMissedAt), lt(follows.firstMissedAt, startedAt)],
              sql`${follows.firstMissedAt} not in (select value from json_each(${bound.copied}))`,
            ),
          ),
      ),
      miss: compileStatement(
        db
          .update(follows)
          .set({ firstMissedAt: bound.finishedAt })
          .where(and(isLacked, isNull(follows.firstMissedAt))),
      ),
    };
  };
  const statements = { followers: prepare('followers'), following: prepare('following') };

  /** The account of a list, and how many it counts on either side. */
  function ownerOf(list: EdgeList) {
    const [userId, followers, following] = owner.get(list) as [number, number | null, number | null];
    return { userId, counted: { followers, following }[list.side] };
  }

  return {
    /**
     * How a crawl ends with its last page, once that is stored: as the page says, or `capped` where its list is closed or
     * cut short by the account's own count.
     */
    checkEnd(crawl: ListCrawl, { end, at, rows, progress }: PageCommit): CrawlEnd | undefined {
      const list = end && isWhole(end) ? listOf(crawl, rows) : undefined;
      if (!list) return end;
      const { userId, counted } = ownerOf(list);
      // A crawl that began again at the top counted the first pages twice.
      const shown = hasRestarted(progress)
        ? (statements[list.side].seen.get({ userId, startedAt: crawl.startedAt ?? at })![0] as number)
        : crawl.items + progress.items;
      const reason = findShortfall(shown, counted);
      return reason ? { ...end, state: 'capped', reason } : end;
    },

    /**
     * Draws the conclusions from the last page of a crawl, set-wise, once it is stored with so many new items. Returns how
     * many edges have ended.
     */
    endMissingEdges(crawl: ListCrawl, page: PageCommit, newItems: number): number {
      const list = page.end && isWhole(page.end) ? listOf(crawl, page.rows) : undefined;
      if (!list) return 0;
      const { side } = list;
      const { userId } = ownerOf(list);
      const [first, last] = span.get({ crawlId: crawl.id }) as [number | null, number | null];
      const times = {
        startedAt: Math.min(crawl.startedAt ?? page.at, first ?? page.at, page.at),
        finishedAt: Math.max(last ?? page.at, page.at),
      };
      const digest = page.listDigest ?? null;
      const { count, end, miss } = statements[side];
      // Where all that are stored were new to this crawl, as in a first one, none need be looked at.
      const isFirst = count.get({ userId })![0] === crawl.newItems + newItems;
      const copies = isFirst || side === 'followers' ? [] : copied.all({ userId, ...times, digest }).flat();
      const ended = isFirst ? 0 : end.run({ userId, ...times, copied: JSON.stringify(copies) }).changes;
      const missed = isFirst ? 0 : miss.run({ userId, ...times }).changes;
      insert.run({
        crawlId: crawl.id,
        side,
        userId,
        ...times,
        missedCount: missed,
        endedCount: ended,
        bodyDigest: digest,
      });
      return ended;
    },
  };
}

/** Whether the service itself ended a list of which nothing was rejected: only then it may prove something. */
const isWhole = ({ state, ending }: CrawlEnd): boolean => state === 'complete' && ending === 'served';

const hasRestarted = ({ checkpoint }: PageCommit['progress']): boolean => checkpoint?.refusedCursors !== undefined;

/** The list that a crawl is of. A profile crawl too may hold a page of followers, but is none of their list. */
const listOf = ({ kind }: ListCrawl, { follows: lists }: PageRows): EdgeList | undefined =>
  lists.find(({ side }) => side === getKind(kind).edgeSide);
