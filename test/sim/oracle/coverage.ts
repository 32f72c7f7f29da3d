import { targetParameters } from '#service/contract/endpoints.ts';
import { type KindName, kindTable } from '#service/kinds/kinds.ts';
import type { Served } from '../service.ts';
import { wasThere } from '../truth.ts';
import { isOutOfPlace, hadUndetectableFault } from './endings.ts';
import type { Evidence } from './evidence.ts';

interface Interval {
  readonly kind: KindName;
  readonly target: string;
  readonly newest_at: number;
  readonly oldest_at: number;
  readonly list_end: string | null;
}

/**
 * No complete interval lacks an item (invariant 5). Bounds are exclusive: an item at the time of a bound may be missing. An
 * interval with a bottom reaches down to the end of the list.
 *
 * An item counts if it was in the list, in its place, during all reads of the list since its creation, so that every read
 * of its time showed it. Items that were deleted, moved or hidden during a read do not count, nor do reads with an
 * undetectable fault (an empty page in the middle, an early end).
 */
export function checkCoverage(evidence: Evidence): void {
  const { db, truth, fail, plan } = evidence;
  const has = db.prepare('select 1 from tweets where rest_id = ?');
  for (const span of db.prepare('select * from coverage').all() as Interval[]) {
    const pages = pagesOfList(evidence, span);
    if (pages.length === 0) fail('invariant 5', `an interval of a list that was not read: ${JSON.stringify(span)}`);
    if (pages.length === 0 || hadUndetectableFault(pages)) continue;
    const first = Math.min(...pages.map(({ at }) => at));
    const last = Math.max(...pages.map(({ answeredAt }) => answeredAt ?? 0));
    const lacking = truth.posts.filter((post) => {
      const author = truth.accounts.find(({ id }) => id === post.author)!;
      const since = post.from > 0 ? post.from : first;
      return (
        (span.kind === 'community' ? post.community === span.target : post.author === span.target) &&
        (span.kind !== 'timeline' || !post.replyTo) &&
        wasThere(post, since, last) &&
        wasThere(author, since, last) &&
        !isOutOfPlace(plan, author, post) &&
        !post.isBack &&
        post.createdAt < span.newest_at &&
        (span.list_end !== null || post.createdAt > span.oldest_at) &&
        !has.get(post.id)
      );
    });
    if (lacking.length > 0) {
      const ids = lacking.map(({ id }) => id).join(', ');
      fail(
        'invariant 5',
        `coverage of ${span.kind} ${span.target} claims ${ids}, which the store lacks: ${JSON.stringify(span)}`,
      );
    }
  }
}

/** All pages of a list, of any crawl. */
export const pagesOfList = ({ stored }: Evidence, { kind, target }: Pick<Interval, 'kind' | 'target'>): Served[] => {
  const { endpoint } = kindTable[kind];
  const parameter = targetParameters[endpoint];
  return stored.filter((one) => one.endpoint === endpoint && one.parameters[parameter] === target);
};
