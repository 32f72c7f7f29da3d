import { and, count, eq } from 'drizzle-orm';
import { RECHECK_OPTIONS } from '../../service/kinds/crawl-spec.ts';
import { getKind } from '../../service/kinds/kinds.ts';
import type { CrawlRow } from '../schema/crawl-row.ts';
import { crawls, requests } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, compileStatement } from '../sqlite/statement.ts';

/** The flag in `tweets.seen_in_lists` for tweets that the crawl saw in their author's list. */
export const listFlagOf = ({ kind }: Pick<CrawlRow, 'kind'>): number => getKind(kind).listFlag ?? 0;

/** The maximum of re-checks per crawl: if more tweets are missing, there may be another cause. */
const MAX_RECHECKS = 20;

/** Crawls of lists whose missing tweets are re-checked: when one began, and how many re-checks it may still have. */
export function prepareListRechecks(db: Db) {
  const { crawlId } = bound;
  const sent = db.select({ at: requests.sentAt }).from(requests).where(eq(requests.crawlId, crawlId));
  const firstRequest = compileStatement(sent.orderBy(requests.id).limit(1));
  const isRecheck = and(eq(crawls.parentId, crawlId), eq(crawls.options, RECHECK_OPTIONS));
  const countRechecks = db.select({ n: count() }).from(crawls).where(isRecheck).prepare();
  return {
    /** The earliest time of a crawl. Clocks of several machines differ. @param at of its latest page */
    findStart({ id, startedAt }: Pick<CrawlRow, 'id' | 'startedAt'>, at: number): number {
      const [firstSentAt = at] = (firstRequest.get({ crawlId: id }) ?? []) as [number?];
      return Math.min(startedAt ?? at, at, firstSentAt);
    },
    countLeft: (id: number): number => Math.max(0, MAX_RECHECKS - countRechecks.get({ crawlId: id })!.n),
  };
}
