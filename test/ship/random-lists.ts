import fc from 'fast-check';
import { DAY } from '#base/clock.ts';
import type { EdgeList } from '#store/schema/normalised-rows.ts';
import type { Store } from '#store/store.ts';
import { openLeased, pageOf, progressOf, rows, tweet, user } from '../store/support.ts';

/** Random histories of lists of followers, of followed accounts and of tweets. */

/** A list on one page. */
export const lists = fc.array(
  fc.record({
    side: fc.constantFrom<EdgeList['side'][]>('followers', 'followers', 'following'),
    of: fc.constantFrom(1, 2, 3, 4),
    others: fc.subarray([1, 2, 3, 4]),
    wait: fc.constantFrom(10, DAY / 4, 2 * DAY),
    isComplete: fc.constantFrom(true, true, true, false),
    isDeleted: fc.boolean(),
  }),
  { minLength: 12, maxLength: 24 },
);

interface RandomList {
  readonly side: EdgeList['side'];
  readonly of: number;
  readonly others: readonly number[];
  readonly isComplete: boolean;
  readonly isDeleted: boolean;
}

/** Stores a list of an account, and a crawl of a tweet of it, which the service may not have any more. */
export async function storeList(
  store: Store,
  { side, of, others, isComplete, isDeleted }: RandomList,
  at: number,
): Promise<void> {
  const members = others.filter((other) => other !== of).map(String);
  const owner = String(of);
  const { id, lease } = await openLeased(store, at, { kind: side, target: `id:${of}` });
  const counts = { detailLevel: 'profile', followersCount: 0, followingCount: 0, location: `at ${at % 3}` } as const;
  await store.write.commitPage(
    pageOf(id, lease, at, {
      listDigest: side === 'following' ? members.join(' ') : undefined,
      rows: rows({
        users: [user(owner, counts), ...members.map((member) => user(member, { screenName: `s${member}${at % 2}` }))],
        follows: [{ side, owner, members }],
      }),
      requests: [{ endpoint: side, at, status: 200, ms: 1, bytes: 1 }],
      progress: progressOf({ targetRestId: owner, items: members.length }),
      end: isComplete ? { state: 'complete', ending: 'served' } : { state: 'partial', reason: 'max_pages' },
    }),
  );
  const restId = `90${of}`;
  const crawl = await openLeased(store, at + 1, { kind: 'tweet', target: restId });
  const shown = tweet(restId, { text: `text ${at % 5}`, authorRestId: owner, createdAt: 5, favoriteCount: at % 7 });
  await store.write.commitPage(
    pageOf(crawl.id, crawl.lease, at + 1, {
      requests: [{ endpoint: 'tweet-detail', at: at + 1, status: isDeleted ? 404 : 200, ms: 1, bytes: 1 }],
      rows: rows(isDeleted ? {} : { users: [user(owner, { detailLevel: 'reference' })], tweets: [shown] }),
      end: isDeleted ? { state: 'failed', reason: 'deleted' } : { state: 'capped', ending: 'one_page' },
    }),
  );
}
