import { inArray, isNull } from 'drizzle-orm';
import { countRows } from '#analysis/count-rows.ts';
import { formatReason } from '#analysis/crawls/describe-crawl.ts';
import { countRequestsSince, REMAINING_RATE_MS } from '#analysis/crawls/throughput.ts';
import type { KnownQuota } from '#analysis/status/quota-answer.ts';
import { SECOND } from '#base/clock.ts';
import { estimateTimeRemaining } from '#crawl/gates/time-remaining.ts';
import type { CrawlLine, CrawlLines } from '#dashboard/server/api/overview.ts';
import type { ReadContext } from '#dashboard/server/reader/read.ts';
import { toShortLine } from '#dashboard/server/reader/short-line.ts';
import { parseCrawlOptions } from '#service/kinds/crawl-spec.ts';
import { getKind } from '#service/kinds/kinds.ts';
import { formatTarget } from '#service/kinds/target.ts';
import { IS_REPLACED } from '#store/crawls/crawl-conditions.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import { crawls } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';

/** The number of crawls in the table. */
export const SHOWN_CRAWLS = 50;

/** The ids of unfinished crawls, paused ones first; running and paused crawls are few among many. */
const UNFINISHED = `select id from (
    select * from (select id, 1 as place, -updated_at as position from crawls indexed by crawls_paused
      where state = 'paused' order by updated_at desc limit @most)
    union all select * from (select id, 2, id from crawls where state = 'running' order by id limit @most)
    union all select * from (select id, 3, id from crawls indexed by crawls_state
      where state = 'queued' order by id limit @most)
  ) order by place, position limit @most`;

/** Reads the first unfinished crawls after the failed ones, and the number of all of them. */
export function readUrgentCrawls(
  context: ReadContext,
  failed: FailedCrawls,
  quota: KnownQuota | undefined,
): CrawlLines {
  const { db } = context;
  const unfinished = db.$client.prepare<[object], number>(UNFINISHED).pluck().all({ most: SHOWN_CRAWLS });
  // Many failed crawls leave half of the table to active ones.
  const newest = failed.newest.slice(0, Math.max(SHOWN_CRAWLS / 2, SHOWN_CRAWLS - unfinished.length));
  const ids = [...newest, ...unfinished].slice(0, SHOWN_CRAWLS);
  const total = countRows(db, crawls, isNull(crawls.finishedAt)) + failed.total;
  return { rows: readLines(context, ids, quota), total };
}

/** Reads crawls in the order of their ids in a list. */
function readLines(context: ReadContext, ids: readonly number[], quota: KnownQuota | undefined): CrawlLine[] {
  const { db } = context;
  const rows = new Map(
    db
      .select()
      .from(crawls)
      .where(inArray(crawls.id, [...ids]))
      .all()
      .map((row) => [row.id, row]),
  );
  const readTree = db.$client.prepare<[number, number], { pages: number; requests: number }>(
    `select coalesce(sum(pages), 0) as pages, coalesce(sum(requests), 0) as requests
     from _crawl_tree t join crawls d on d.id = t.descendant_id where t.root_id = ? and d.id <> ?`,
  );
  return ids.flatMap((id) => {
    const row = rows.get(id);
    return row ? [toCrawlLine(context, row, { ...readTree.get(id, id)!, quota })] : [];
  });
}

/** @param tree the pages and requests of its child crawls, and the quota that sets the pace */
export function toCrawlLine(
  context: ReadContext,
  row: CrawlRow,
  tree: { readonly pages: number; readonly requests: number; readonly quota: KnownQuota | undefined },
): CrawlLine {
  const pages = row.pages + tree.pages;
  const requests = row.requests + tree.requests;
  const { state, plannedRequestsExpected: planned } = row;
  return {
    id: row.id,
    kind: row.kind,
    target: toShortLine(describeCrawlTarget(context.db, row)),
    priority: row.priority,
    state,
    reason: toShortLine(formatReason(row)),
    children: '',
    pages,
    items: row.items,
    newItems: row.newItems,
    requests,
    plannedPages: planPages(row, planned),
    createdAt: row.createdAt,
    startedAt: row.startedAt,
    finishedAt: row.finishedAt,
    resumeAt: row.resumeAt,
    leftMs: state === 'running' ? estimateRest(context, row, requests, tree.quota) : null,
  };
}

/** The target of a crawl, with the stored handle in place of an id: child crawls are by id. */
export function describeCrawlTarget(
  { $client }: Db,
  row: Pick<CrawlRow, 'kind' | 'target' | 'handle' | 'targetRestId'>,
): string {
  if (row.handle !== null || row.targetRestId === null || getKind(row.kind).targetType !== 'account')
    return formatTarget(row);
  const findHandle = $client
    .prepare<[string], string | null>('select screen_name from users where rest_id = ?')
    .pluck();
  return findHandle.get(row.targetRestId) ?? formatTarget(row);
}

/** A plan counts requests: a page of a list is one, and a limit of pages is a better bound. */
function planPages(row: CrawlRow, planned: number | null): number | null {
  if (planned === null) return null;
  const { maxPages, then } = parseCrawlOptions(row);
  return maxPages !== undefined && then === undefined ? Math.min(maxPages, planned) : planned;
}

/** The time remaining at the rate of the last 30 s and by the quota, in ms of whole seconds; null if it is unknown, or past the plan. */
function estimateRest(
  { db, now }: ReadContext,
  { id, startedAt, priority, plannedRequestsExpected: planned }: CrawlRow,
  requests: number,
  quota: KnownQuota | undefined,
): number | null {
  if (planned === null || startedAt === null || requests >= planned) return null;
  const since = Math.max(startedAt - 1, now - REMAINING_RATE_MS);
  const sent = countRequestsSince(db, since, id);
  if (sent < 2) return null;
  const rate = sent / (now - since);
  const rest = estimateTimeRemaining(planned - requests, { now, priority, quota, rates: { now: rate, best: rate } });
  return rest === undefined ? null : Math.ceil(rest / SECOND) * SECOND;
}

/** The failed crawls that no later crawl repeats or replaces: they need a person. */
export interface FailedCrawls {
  readonly total: number;
  /** The ids of the newest ones, newest first. */
  readonly newest: readonly number[];
  /** By reason, the most frequent first, with the last end and the error of that crawl. */
  readonly reasons: readonly FailedReason[];
}

interface FailedReason {
  readonly reason: string | null;
  readonly n: number;
  readonly lastAt: number | null;
  readonly error: string | null;
}

interface FailedRow {
  readonly id: number;
  readonly reason: string | null;
  readonly at: number | null;
}

/** Reads them in one scan: there are few failures among many crawls. @param most the number of ids */
export function readFailedCrawls({ $client }: Db, most: number): FailedCrawls {
  const rows = $client
    .prepare<[], FailedRow>(
      `select id, reason, finished_at as at from crawls c indexed by crawls_state
       where state = 'failed' and not ${IS_REPLACED}`,
    )
    .all()
    .toSorted((a, b) => b.id - a.id);
  const readError = $client.prepare<[number], string | null>('select error from crawls where id = ?').pluck();
  const groups = new Map<string | null, { n: number; last: FailedRow }>();
  for (const row of rows) {
    const group = groups.get(row.reason);
    if (!group) groups.set(row.reason, { n: 1, last: row });
    else groups.set(row.reason, { n: group.n + 1, last: (row.at ?? 0) > (group.last.at ?? 0) ? row : group.last });
  }
  return {
    total: rows.length,
    newest: rows.slice(0, most).map(({ id }) => id),
    reasons: [...groups]
      .map(([reason, { n, last }]) => ({ reason, n, lastAt: last.at, error: readError.get(last.id) ?? null }))
      .toSorted((a, b) => b.n - a.n),
  };
}
