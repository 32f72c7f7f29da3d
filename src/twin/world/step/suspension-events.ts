import { drawCount, SUSPENSIONS_PER_DAY } from './event-rates.ts';
import { prepareRemoval, type StepContext } from './step-context.ts';

interface TweetKeys {
  readonly id: number;
  readonly parent: string | null;
}

/**
 * Suspends accounts: removes them with their tweets and edges, so that the twin responds as for accounts that do not exist.
 * Replies of others to them remain.
 */
export function suspendAccounts({ db, random, population, changes }: StepContext, days: number): void {
  const remove = prepareRemoval(db);
  const findTweets = db.$client.prepare<[number], TweetKeys>(
    'select id, in_reply_to_status_rest_id as parent from tweets where author_id = ? order by id',
  );
  const findNeighbours = db.$client
    .prepare<[number, number], number>(
      `select followee_id from follows where follower_id = ? and ended_at is null
       union all select follower_id from follows where followee_id = ? and ended_at is null`,
    )
    .pluck();
  for (let remaining = drawCount(random, SUSPENSIONS_PER_DAY * population.size * days); remaining > 0; remaining -= 1) {
    const account = population.drawOrdinary(random, new Set());
    if (!account) return;
    const tweets = findTweets.all(account.id);
    for (const { id, parent } of tweets) {
      remove.tweet(id);
      if (parent !== null) changes.touchedParents.add(parent);
    }
    const neighbours = findNeighbours.all(account.id, account.id);
    for (const id of neighbours) changes.touchedUsers.add(id);
    remove.user(account.id);
    population.suspend(account);
    const { restId, screenName } = account;
    changes.suspensions.push({ restId, screenName, tweets: tweets.length, edges: neighbours.length });
  }
}
