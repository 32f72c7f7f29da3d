import type { KindName } from '../../../src/kinds/kinds.ts';
import type { Served } from '../service.ts';
import { type CrawlFacts, describeEnding, type Evidence, MAX_STORE_DELAY_MS, shownOn } from './evidence.ts';

/** How many tweets of a closed list are asked for. */
const ASKED_TWEETS = 5;

/** Returns the tweets of an account, originals for a timeline, that were shown before a time. */
const shownTweets = ({ stored }: Evidence, kind: KindName, author: string | undefined, before: number): Set<string> =>
  new Set(
    stored
      .filter(({ answeredAt = Infinity }) => answeredAt < before)
      .flatMap(({ parsed }) => parsed?.tweets ?? [])
      .filter((tweet) => tweet.author === author && author !== undefined)
      .filter(({ values }) => kind === 'replies' || values['in_reply_to_user_rest_id'] === undefined)
      .map(({ id }) => id),
  );

/** A timeline is closed if it is empty although the store has, or the profile counts, tweets that it should show. */
export function checkClosedTimeline(evidence: Evidence, crawl: CrawlFacts, pages: readonly Served[]): void {
  const last = pages.at(-1);
  if (last?.parsed?.isUnavailable) return;
  if (!last || shownOn(pages) > 0)
    return evidence.fail('invariant 4', `${describeEnding(crawl)}, and showed ${shownOn(pages)}`);
  const { restId } = last.parameters;
  const isCounted = evidence.stored.some(({ parsed }) =>
    parsed?.users.some(({ id, values }) => id === restId && Number(values['statuses_count']) > 0),
  );
  const known = shownTweets(evidence, crawl.kind, restId, last.answeredAt! + MAX_STORE_DELAY_MS);
  if (known.size === 0 && !(crawl.kind === 'replies' && isCounted))
    evidence.fail('invariant 5', `${describeEnding(crawl)}, and no tweet is stored`);
}

/** An empty list is complete only if the tweets of it that were stored before are gone. */
export function checkEmptyTimeline(evidence: Evidence, crawl: CrawlFacts, pages: readonly Served[]): void {
  const last = pages.at(-1)!;
  if (last.parsed?.isUnavailable)
    evidence.fail('invariant 5', `${describeEnding(crawl)}, and its owner is unavailable`);
  if ((crawl.kind !== 'timeline' && crawl.kind !== 'replies') || shownOn(pages) > 0) return;
  const first = Math.min(crawl.started_at!, ...evidence.sentBy(crawl.id).map(({ at }) => at));
  const known = [...shownTweets(evidence, crawl.kind, last.parameters['restId'], first - MAX_STORE_DELAY_MS)];
  const gone = known.filter((id) =>
    evidence.stored.some(
      ({ endpoint, parameters, status }) =>
        endpoint === 'tweet-detail' && parameters['restId'] === id && status === 404,
    ),
  );
  if (gone.length < Math.min(ASKED_TWEETS, known.length))
    evidence.fail(
      'invariant 5',
      `${describeEnding(crawl)}, and ${known.length} tweets were shown before, of which ${gone.length} are gone`,
    );
}
