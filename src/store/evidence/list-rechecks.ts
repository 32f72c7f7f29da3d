import { RECHECK_OPTIONS } from '../../service/kinds/crawl-spec.ts';
import { getKind } from '../../service/kinds/kinds.ts';
import type { CrawlRow } from '../schema/crawl-row.ts';
import type { Db } from '../sqlite/database.ts';
import { createValuePreparer } from '../sqlite/statement.ts';

/** The flag in `tweets.seen_in_lists` for tweets that the crawl saw in their author's list. */
export const listFlagOf = ({ kind }: Pick<CrawlRow, 'kind'>): number => getKind(kind).listFlag ?? 0;

/** The maximum of re-checks per crawl: if more tweets are missing, there may be another cause. */
const MAX_RECHECKS = 20;

/** Crawls of lists whose missing tweets are re-checked: when one began, and how many re-checks it may still have. */
export function prepareListRechecks(db: Db) {
  const prepareValue = createValuePreparer(db);
  const firstRequest = prepareValue<[number], number>(
    'select sent_at from requests where crawl_id = ? order by id limit 1',
  );
  const countRechecks = prepareValue<[number], number>(
    `select count(*) from crawls where parent_id = ? and options = '${RECHECK_OPTIONS}'`,
  );
  return {
    /** The earliest time of a crawl. Clocks of several machines differ. @param at of its latest page */
    findStart: ({ id, startedAt }: Pick<CrawlRow, 'id' | 'startedAt'>, at: number): number =>
      Math.min(startedAt ?? at, at, firstRequest.get(id) ?? at),
    countLeft: (id: number): number => Math.max(0, MAX_RECHECKS - countRechecks.get(id)!),
  };
}
