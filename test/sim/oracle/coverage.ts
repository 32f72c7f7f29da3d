import { type KindName, kindTable } from '../../../src/kinds/kinds.ts';
import type { Served } from '../service.ts';
import { wasThere } from '../truth.ts';
import { isOutOfPlace, wasLiedTo } from './endings.ts';
import type { Evidence } from './evidence.ts';

interface Interval {
  readonly kind: KindName;
  readonly target: string;
  readonly newest_at: number;
  readonly oldest_at: number;
  readonly list_end: string | null;
}

/**
 * No interval that is said to be complete lacks an item (invariant 5). Bounds are open: what is of the very moment at which an
 * interval begins or ends may be there or not; one with a bottom reaches down to the end of the list.
 *
 * An item counts if it was in the list, in its place, for as long as anybody read the list after it had come: then
 * whoever walked over its time was shown it. What was deleted, moved or hidden while the list was read may have been
 * seen or not: of that, nothing is claimed. Nor does anything count where the service hid an item so that nobody could
 * know (a page without items in the middle, an end too soon).
 */
export function checkCoverage(evidence: Evidence): void {
  const { db, truth, fail, plan } = evidence;
  const has = db.prepare('select 1 from tweets where rest_id = ?');
  for (const span of db.prepare('select * from coverage').all() as Interval[]) {
    const pages = pagesOfList(evidence, span);
    if (pages.length === 0) fail('invariant 5', `an interval of a list that nobody read: ${JSON.stringify(span)}`);
    if (pages.length === 0 || wasLiedTo(pages)) continue;
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
const pagesOfList = ({ stored }: Evidence, { kind, target }: Interval): Served[] => {
  const { endpoint, parameter } = kindTable[kind];
  return stored.filter((one) => one.endpoint === endpoint && one.parameters[parameter] === target);
};
