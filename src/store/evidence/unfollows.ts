import { and, count, eq, gt, gte, isNotNull, isNull, lt, max, min, or, type SQL, sql } from 'drizzle-orm';
import { findShortfall, type CrawlEnd, createShortEnd } from '../../kinds/end-states.ts';
import { getKind } from '../../kinds/kinds.ts';
import { preparePrunedRanges } from '../coverage/pruned-ranges.ts';
import type { CrawlRow } from '../schema/crawl-row.ts';
import { OWNER_COLUMN, LAST_SEEN_IN } from '../schema/edge-sides.ts';
import type { PageCommit } from '../schema/messages.ts';
import type { EdgeList } from '../schema/rows.ts';
import { listSnapshots, follows, requests, users } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, compileStatement, pickColumns, rowPlaceholders } from '../sqlite/statement.ts';
import { CACHE_VALIDITY } from './edge-periods.ts';

export type ListSnapshotRow = typeof listSnapshots.$inferSelect;

type ListCrawl = Pick<CrawlRow, 'id' | 'kind' | 'startedAt' | 'items' | 'newItems'>;

/**
 * Unfollows (invariant 7): what a list of followers or followed accounts proves about edges that it lacks. Only a list
 * that the service ended, without rejected items, is evidence, and only about edges that were last seen before it began.
 * The first such list marks them as missing; one that began after the end of the first ends them. Two crawls at one
 * instant may have shared one response, and count as one list. So do two lists of followed accounts with equal bytes that
 * begin within `CACHE_VALIDITY`, since they may be copies of one cached response.
 */
export function prepareUnfollows(db: Db) {
  const pruned = preparePrunedRanges(db);
  const { startedAt, userId } = bound;
  const account = pickColumns(users, ['id', 'followersCount', 'followingCount']);
  const owner = compileStatement(db.select(account).from(users).where(eq(users.restId, bound.owner)));
  // Clocks of several machines differ, so that the times of the requests count.
  const firstAndLast = { first: min(requests.sentAt), last: max(requests.sentAt) };
  const requestTimes = compileStatement(
    db.select(firstAndLast).from(requests).where(eq(requests.crawlId, bound.crawlId)),
  );
  const insert = compileStatement(
    db.insert(listSnapshots).values(rowPlaceholders(listSnapshots)).onConflictDoNothing(),
  );
  const oldestCached = sql`${startedAt} - ${sql.raw(String(CACHE_VALIDITY))}`;
  /** Lists of an account that a list may be a copy of. A list without a digest may be a copy of any. */
  const mayBeCopied = and(
    ...[eq(listSnapshots.userId, userId), eq(listSnapshots.side, 'following')],
    gt(listSnapshots.startedAt, oldestCached),
    sql`coalesce(${bound.digest} = ${listSnapshots.bodyDigest}, true)`,
  );
  const copied = compileStatement(
    db.select({ finishedAt: listSnapshots.finishedAt }).from(listSnapshots).where(mayBeCopied),
  );
  const prepare = (side: EdgeList['side']) => {
    const isOwned = eq(OWNER_COLUMN[side], userId);
    const isOlderThanCache = lt(follows.lastSeenAt, oldestCached);
    const isLacked = and(
      isOwned,
      isNull(follows.endedAt),
      lt(follows.lastSeenAt, startedAt),
      side === 'following' ? or(eq(follows.lastSeenIn, LAST_SEEN_IN.following), isOlderThanCache) : undefined,
    );
    const isEnded = and(
      ...[isLacked, isNotNull(follows.firstMissedAt), lt(follows.firstMissedAt, startedAt)],
      sql`${follows.firstMissedAt} not in (select value from json_each(${bound.copied}))`,
    );
    const isNewlyMissed = and(isLacked, isNull(follows.firstMissedAt));
    const ended = { endedAt: sql`${follows.firstMissedAt}` };
    const countEdges = (condition: SQL | undefined) =>
      compileStatement(db.select({ n: count() }).from(follows).where(condition));
    return {
      count: countEdges(isOwned),
      seen: countEdges(and(isOwned, gte(follows.lastSeenAt, startedAt))),
      end: compileStatement(db.update(follows).set(ended).where(isEnded)),
      miss: compileStatement(db.update(follows).set({ firstMissedAt: bound.finishedAt }).where(isNewlyMissed)),
    };
  };
  const statements = { followers: prepare('followers'), following: prepare('following') };

  /** Returns the account of a list, and its reported count. */
  function ownerOf(list: EdgeList) {
    const [userId, followers, following] = owner.get(list) as [number, number | null, number | null];
    return { userId, counted: { followers, following }[list.side] };
  }

  return {
    /**
     * Returns the end of a crawl whose last page is stored: that of the page, or `capped` if the list is closed or cut short,
     * compared with the reported count.
     */
    capShortList(crawl: ListCrawl, page: PageCommit): CrawlEnd | undefined {
      const { end, at, progress } = page;
      const list = wholeListOf(crawl, page);
      if (!end || !list) return end;
      const { userId, counted } = ownerOf(list);
      // A crawl that restarted from the top counted its first pages twice.
      const shown = hasRestarted(progress)
        ? (statements[list.side].seen.get({ userId, startedAt: crawl.startedAt ?? at })![0] as number)
        : crawl.items + progress.items;
      const reason = findShortfall(shown, counted);
      return reason ? createShortEnd(end, reason) : end;
    },

    /**
     * Marks and ends the edges that a complete list lacks, when its last page is stored. Returns the list with these numbers.
     * @param newItems the new items of the last page
     */
    endMissingEdges(crawl: ListCrawl, page: PageCommit, newItems: number) {
      const list = wholeListOf(crawl, page);
      if (!list) return undefined;
      const { side, owner } = list;
      const { userId } = ownerOf(list);
      const [first, last] = requestTimes.get({ crawlId: crawl.id }) as [number | null, number | null];
      const times = {
        startedAt: Math.min(crawl.startedAt ?? page.at, first ?? page.at, page.at),
        finishedAt: Math.max(last ?? page.at, page.at),
      };
      const digest = page.listDigest ?? null;
      const { count, end, miss } = statements[side];
      // If all stored edges were new to this crawl, as in a first one, none are missing.
      const isFirst = count.get({ userId })![0] === crawl.newItems + newItems;
      const copies = isFirst || side === 'followers' ? [] : copied.all({ userId, ...times, digest }).flat();
      const endedCount = isFirst ? 0 : end.run({ userId, ...times, copied: JSON.stringify(copies) }).changes;
      const missedCount = isFirst ? 0 : miss.run({ userId, ...times }).changes;
      if (!page.storedBodyIds) pruned.removeList({ kind: side, target: list.owner });
      const snapshot = { crawlId: crawl.id, side, userId, ...times, missedCount, endedCount, bodyDigest: digest };
      insert.run(snapshot);
      return { ...snapshot, owner };
    },
  };
}

/** Whether the service ended the list and no item was rejected: only then it is evidence. */
const isWhole = ({ state, ending }: CrawlEnd): boolean => state === 'complete' && ending === 'served';

const hasRestarted = ({ checkpoint }: PageCommit['progress']): boolean => checkpoint?.refusedCursors !== undefined;

/** The list of a crawl that ends with a page, if it is evidence. The page of followers in a profile crawl does not count. */
const wholeListOf = ({ kind }: ListCrawl, { end, rows }: PageCommit): EdgeList | undefined =>
  end && isWhole(end) ? rows.follows.find(({ side }) => side === getKind(kind).edgeSide) : undefined;
