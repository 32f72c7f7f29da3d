import { kindTable, isKind } from '#service/kinds/kinds.ts';
import { parseStepOutcome, type StepOutcome } from '#store/journal/journal-steps.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { Db } from '#store/sqlite/database.ts';
import { HAS_FAILED, IS_NOT_FOUND } from './request-outcomes.ts';

/** The requests of a part of a crawl's time. */
export interface RequestsOfPeriod {
  /** The end of the period. */
  readonly at: number;
  readonly requests: number;
  /** Of these, responses with a page of the list. */
  readonly pages: number;
  /** Of these, those without a response or with an error status that is no answer. */
  readonly failed: number;
}

const PERIODS = 240;

/** Counts the requests of a crawl by period, without periods that have none. All periods have the same length. */
export function readCrawlTimeline(
  { $client }: Db,
  { id, kind, startedAt, createdAt }: Pick<CrawlRow, 'id' | 'kind' | 'startedAt' | 'createdAt'>,
): { readonly from: number; readonly periods: readonly RequestsOfPeriod[] } {
  const from = startedAt ?? createdAt;
  const last = $client
    .prepare<[number], number | null>('select max(sent_at + duration_ms) from requests where crawl_id = ?')
    .pluck()
    .get(id);
  if (last == null) return { from, periods: [] };
  const length = Math.max(1000, Math.ceil((last - from + 1) / PERIODS));
  const periods = $client
    .prepare<[object], RequestsOfPeriod>(
      `select @from + (1 + max(0, sent_at - @from) / @length) * @length as at, count(*) as requests,
         count(*) filter (where status = 200 and endpoint = @endpoint) as pages,
         sum(${HAS_FAILED}) as failed
       from requests where crawl_id = @id group by 1 order by 1`,
    )
    .all({ id, from: BigInt(from), length: BigInt(length), endpoint: isKind(kind) ? kindTable[kind].endpoint : '' });
  return { from, periods };
}

/** A request without a page: it failed, or the service answered with 404. */
export interface RequestWithoutPage {
  readonly at: number;
  readonly endpoint: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly isNotFound: 0 | 1;
}

/** The latest requests of a crawl without a page, the latest first. */
export const readRequestsWithoutPage = ({ $client }: Db, crawlId: number, limit: number): RequestWithoutPage[] =>
  $client
    .prepare<[number, number], RequestWithoutPage>(
      `select sent_at as at, endpoint, status, error, ${IS_NOT_FOUND} as isNotFound from requests indexed by requests_crawl
       where crawl_id = ? and (${HAS_FAILED} or ${IS_NOT_FOUND}) order by id desc limit ?`,
    )
    .all(crawlId, limit);

/** When users cancelled and resumed a crawl, in order. */
export const readInterventions = (
  { $client }: Db,
  crawlId: number,
): { readonly at: number; readonly what: NonNullable<StepOutcome['steered']> }[] =>
  $client
    .prepare<[number], { at: number; outcome: string | null }>(
      `select committed_at as at, outcome from _steps indexed by _steps_without_response
       where crawl_id = ? and response_roles = '' order by id`,
    )
    .all(crawlId)
    .flatMap((step) => {
      const { steered } = parseStepOutcome(step);
      return steered === undefined ? [] : [{ at: step.at, what: steered }];
    });
