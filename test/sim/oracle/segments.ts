import { prepareAccountCoverage } from '#analysis/coverage/account-coverage.ts';
import type { OrderedListCoverage } from '#analysis/coverage/coverage-model.ts';
import { mergeRanges, type TimeRange } from '#base/time-ranges.ts';
import { createDrizzle } from '#store/sqlite/drizzle.ts';
import { type Account, wasThere } from '../truth.ts';
import { pagesOfList } from './coverage.ts';
import { hadUndetectableFault, isOutOfPlace } from './endings.ts';
import type { Evidence } from './evidence.ts';

/**
 * What `trawl coverage` shows as complete lacks no tweet (invariant 5): neither between tweets, nor before the oldest one, nor
 * after the newest one. Segments tile the axis. The same tweets count as for intervals (`coverage.ts`).
 */
export function checkSegments(evidence: Evidence): void {
  const readCoverage = prepareAccountCoverage(createDrizzle(evidence.db));
  for (const account of evidence.truth.accounts) {
    for (const list of readCoverage(account.id)?.orderedLists ?? []) {
      checkTiles(evidence, account, list);
      const complete = list.segments.filter(({ state }) => state === 'complete');
      const observed = checkView(evidence, account, list, complete);
      checkComplete(evidence, account, list.kind, complete);
      checkComplete(evidence, account, list.kind, observed);
    }
  }
}

function checkTiles({ fail }: Evidence, { id }: Account, list: OrderedListCoverage): void {
  const { kind, axis, segments } = list;
  const bounds = [axis?.from, ...segments.flatMap(({ from, to }) => [from, to]), axis?.to];
  const isTiled = bounds.every((at, i) => i % 2 === 1 || at === bounds[i + 1]);
  const isEmpty = segments.length === 0 && axis?.from === axis?.to;
  if (!isEmpty && !isTiled) fail('invariant 5', `the coverage of ${kind} ${id} has holes: ${JSON.stringify(list)}`);
}

/** No tweet of the list is missing from times that are called complete. */
function checkComplete(
  evidence: Evidence,
  account: Account,
  kind: OrderedListCoverage['kind'],
  times: readonly TimeRange[],
): void {
  const { db, truth, fail, plan } = evidence;
  const pages = pagesOfList(evidence, { kind, target: account.id });
  if (pages.length === 0 || hadUndetectableFault(pages)) return;
  const first = Math.min(...pages.map(({ at }) => at));
  const last = Math.max(...pages.map(({ answeredAt }) => answeredAt ?? 0));
  const has = db.prepare('select 1 from tweets where rest_id = ?');
  const lacking = truth.posts.filter((post) => {
    const since = post.from > 0 ? post.from : first;
    return (
      post.author === account.id &&
      (kind !== 'timeline' || !post.replyTo) &&
      wasThere(post, since, last) &&
      wasThere(account, since, last) &&
      !isOutOfPlace(plan, account, post) &&
      !post.isBack &&
      times.some(({ from, to }) => from < post.createdAt && post.createdAt < to) &&
      !has.get(post.id)
    );
  });
  if (lacking.length === 0) return;
  const ids = lacking.map(({ id, createdAt }) => `${id} of ${createdAt}`).join(', ');
  fail(
    'invariant 5',
    `the coverage of ${kind} ${account.id} claims ${ids}, which the store lacks: ${JSON.stringify(times)}`,
  );
}

/**
 * `v_observed_periods`, on which the bins of saved queries rest, has the same times: it is computed in SQL. Of two crawls
 * at the same time that prove the top of a list, each may take another one.
 */
function checkView(
  { db, fail }: Evidence,
  account: Account,
  { kind, axis }: OrderedListCoverage,
  complete: readonly TimeRange[],
): TimeRange[] {
  const hasIntervals = db.prepare('select 1 from coverage where kind = ? and target = ?').get(kind, account.id);
  // Of lists without intervals, the view has only those that were empty.
  if (axis === null || !hasIntervals) return [];
  const rows = db
    .prepare<[string, string], { from: number | null; to: number }>(
      'select from_ms as [from], to_ms as [to] from v_observed_periods where kind = ? and account_rest_id = ?',
    )
    .all(kind, account.id);
  const observed = mergeRanges(rows.map(({ from, to }) => ({ from: from ?? axis.from, to })));
  const [view, model] = [observed, complete].map((ranges) =>
    JSON.stringify(
      mergeRanges(ranges.filter(({ from, to }) => from < to)).map((range, i, all) =>
        i < all.length - 1 ? range : range.from,
      ),
    ),
  );
  if (view !== model)
    fail('invariant 5', `v_observed_periods of ${kind} ${account.id} has ${view}, its coverage ${model}`);
  return observed;
}
