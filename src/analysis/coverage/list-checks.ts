import { parseCheckpoint } from '#service/kinds/checkpoint.ts';
import { parseCrawlOptions } from '#service/kinds/crawl-spec.ts';
import { isPagedKind, isSuccessState } from '#service/kinds/decide-end.ts';
import { getKind } from '#service/kinds/kinds.ts';
import { provesTop } from '#store/coverage/list-top.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { SegmentEvidence } from './segments.ts';

type CheckColumn =
  | ('id' | 'kind' | 'state' | 'reason' | 'ending' | 'options' | 'items' | 'rejectedItems' | 'erasedItems')
  | ('checkpoint' | 'finishedAt');

/** A crawl that read pages of a list, or was told that it is empty. */
export interface ListCheck extends Readonly<Pick<CrawlRow, CheckColumn>> {
  readonly startedAt: number;
}

/** A list of an account, and the targets by which crawls name the account. */
export interface AccountList {
  readonly kind: string;
  readonly restId: string;
  readonly targets: readonly string[];
}

/** Most questions are answered by the first checks. */
const BATCHES = [8, 1000] as const;

/** Prepares reading the latest checks of a list, newest first; at most 1,000, since a list may have 100,000. */
export function prepareListChecks({ $client }: Db): (list: AccountList) => Iterable<ListCheck> {
  const select = $client.prepare<[string, string, string, number], ListCheck>(
    `select id, kind, state, reason, ending, options, items, rejected_items as rejectedItems,
       erased_items as erasedItems, checkpoint,
       finished_at as finishedAt, coalesce(started_at, created_at) as startedAt
     from crawls where kind = ? and target = ? and target_rest_id = ? and pages > 0 order by id desc limit ?`,
  );
  return function* ({ kind, restId, targets }) {
    let shown = 0;
    for (const most of BATCHES) {
      const checks = targets
        .flatMap((target) => select.all(kind, target, restId, most))
        .toSorted((a, b) => b.id - a.id)
        .slice(0, most);
      yield* checks.slice(shown);
      if (checks.length < most) return;
      shown = most;
    }
  };
}

/** What the checks of a list in chronological order prove. */
export type CheckEvidence = Pick<SegmentEvidence, 'checkedAt' | 'provenAt' | 'rest'>;

/**
 * Weighs the checks of a list; undefined if it was never read.
 * @param newestAt the newest time of the topmost interval; undefined without intervals
 * @param count the reported number of tweets, or the stored one: an empty list with tweets may be closed
 */
export function weighChecks(
  checks: Iterable<ListCheck>,
  { newestAt, count }: { newestAt: number | undefined; count: number },
): CheckEvidence | undefined {
  let latest: ListCheck | undefined;
  let proof: ListCheck | undefined;
  for (const check of checks) {
    latest ??= check;
    const isClosed = check.items === 0 && count > 0;
    if (newestAt === undefined) {
      if (!hasReachedEnd(check)) continue;
      // Without intervals, only the end of a list that is read from top to bottom is evidence.
      const isWhole = check.state === 'complete' && (isPagedKind(check.kind) || check.reason === 'no_tweets');
      if (isWhole && !isClosed) proof = check;
      break;
    }
    if (!isClosed && provesTop(check, newestAt)) proof = check;
    if (proof !== undefined || check.startedAt <= newestAt) break;
  }
  if (latest === undefined) return undefined;
  const isClosed = latest.items === 0 && count > 0 && isSuccessState(latest);
  const rest = isClosed ? ({ state: 'unknown', reason: 'list_closed' } as const) : explainUnproven(latest);
  return { checkedAt: latest.startedAt, provenAt: proof?.startedAt ?? null, rest: { ...rest, crawlId: latest.id } };
}

/** Whether a crawl read its list to an end, and not just to `--since`: as `ended` of `v_completeness`. */
export const hasReachedEnd = ({ state, ending, options }: ListCheck): boolean =>
  isSuccessState({ state }) &&
  ending !== 'since' &&
  !(ending === 'joined' && parseCrawlOptions({ options }).since !== undefined);

/** Why a crawl does not prove the part of a list that it read. */
export function explainUnproven({ kind, state, reason, ending, finishedAt, checkpoint }: ListCheck): {
  readonly state: 'gap' | 'unknown';
  readonly reason: string;
} {
  if (parseCheckpoint(checkpoint).scan === 'unordered' && getKind(kind).isNewestFirst)
    return { state: 'gap', reason: 'out_of_order' };
  if (finishedAt === null) return { state: 'gap', reason: 'open' };
  if (state === 'partial' && reason !== null) return { state: 'gap', reason };
  if (!isSuccessState({ state })) return { state: 'gap', reason: 'interrupted' };
  if (reason === 'list_closed' || reason === 'list_cut_short') return { state: 'unknown', reason };
  if (ending === 'since') return { state: 'gap', reason: 'since' };
  if (ending === 'inferred' || ending === 'joined_inferred') return { state: 'unknown', reason: 'inferred_end' };
  return { state: 'unknown', reason: isPagedKind(kind) ? 'unproven' : 'last_page' };
}
