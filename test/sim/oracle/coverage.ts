import { wasThere } from '../truth.ts';
import { pagesOf, wasLiedTo } from './endings.ts';
import type { Evidence } from './evidence.ts';

interface Interval {
  readonly kind: string;
  readonly target: string;
  readonly crawl_id: number;
  readonly newest_at: number;
  readonly oldest_at: number;
}

/**
 * No interval that is said to be complete lacks an item (law 5). An item counts if it was in the list from before the
 * crawl's first page until after its last: what came or went meanwhile may have been seen or not, and so may what is of
 * the very moment at which the interval begins or ends.
 */
export function checkCoverage(evidence: Evidence): void {
  const { look, truth, fail, crawls } = evidence;
  const has = look.prepare('select 1 from tweets where rest_id = ?');
  for (const span of look.prepare('select * from coverage').all() as Interval[]) {
    const crawl = crawls.find(({ id }) => id === span.crawl_id)!;
    const pages = pagesOf(evidence, crawl);
    const [first, last] = [pages[0], pages.at(-1)];
    if (!first || !last) {
      fail('law 5', `an interval of crawl ${crawl.id}, which has no page: ${JSON.stringify(span)}`);
      continue;
    }
    if (wasLiedTo(pages)) continue;
    const lacking = truth.posts.filter(
      (post) =>
        (span.kind === 'community' ? post.community === span.target : post.author === span.target) &&
        (span.kind !== 'timeline' || !post.replyTo) &&
        wasThere(post, first.at, last.answeredAt!) &&
        truth.accounts.some(({ id, ...own }) => id === post.author && wasThere(own, first.at, last.answeredAt!)) &&
        post.createdAt > span.oldest_at &&
        post.createdAt < span.newest_at &&
        !has.get(post.id),
    );
    if (lacking.length > 0)
      fail('law 5', `coverage of crawl ${crawl.id} claims ${lacking.map(({ id }) => id).join(', ')}, which it lacks`);
  }
}
