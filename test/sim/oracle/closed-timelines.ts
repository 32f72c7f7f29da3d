import type { KindName } from '#service/kinds/kinds.ts';
import type { Served } from '../service.ts';
import { type CrawlFacts, describeEnding, type Evidence, MAX_STORE_DELAY_MS, shownOn, timesOf } from './evidence.ts';

/** How many tweets of a closed list are asked for. */
const ASKED_TWEETS = 5;

/** The fields of which each shows that a tweet is a reply: a service may omit one. So does its place below another tweet. */
const REPLY_FIELDS = ['in_reply_to_status_rest_id', 'in_reply_to_user_rest_id', 'in_reply_to_screen_name'];

/** Returns the tweets of an account that were shown before a time; of a timeline, without those that were replies by another one. */
function shownTweets(
  { stored }: Evidence,
  kind: KindName,
  author: string | undefined,
  { shown, replies: repliesKnown }: { readonly shown: number; readonly replies: number },
): Set<string> {
  const shownBefore = (time: number) =>
    stored.filter(({ answeredAt = Infinity }) => answeredAt < time).flatMap(({ parsed }) => parsed ?? []);
  const replies = new Set(
    shownBefore(repliesKnown).flatMap(({ tweets, nested }) => [
      ...tweets.filter(({ values }) => REPLY_FIELDS.some((field) => values[field] !== undefined)).map(({ id }) => id),
      ...(nested?.replies ?? []),
    ]),
  );
  return new Set(
    shownBefore(shown)
      .flatMap(({ tweets }) => tweets)
      .filter((tweet) => tweet.author === author && author !== undefined)
      .map(({ id }) => id)
      .filter((id) => kind === 'replies' || !replies.has(id)),
  );
}

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
  const known = shownTweets(evidence, crawl.kind, restId, {
    shown: last.answeredAt! + MAX_STORE_DELAY_MS,
    replies: last.at - MAX_STORE_DELAY_MS,
  });
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
  const times = { shown: first - MAX_STORE_DELAY_MS, replies: last.answeredAt! + MAX_STORE_DELAY_MS };
  const known = [...shownTweets(evidence, crawl.kind, last.parameters['restId'], times)];
  const missing = evidence.stored.filter(({ endpoint, status }) => endpoint === 'tweet-detail' && status === 404);
  const gone = known.filter((id) => missing.some(({ parameters }) => parameters['restId'] === id));
  if (gone.length < Math.min(ASKED_TWEETS, known.length))
    evidence.fail(
      'invariant 5',
      `${describeEnding(crawl)}, and ${known.length} tweets were shown before, of which ${gone.length} are gone`,
    );
  // A 404 is also that of an account which is gone: where tweets are stored, its profile has to be requested.
  const account = evidence.truth.accounts.find(({ id }) => id === last.parameters['restId']);
  const isRecheck = ({ sender }: Served): boolean =>
    evidence.crawls.some(({ id, parent_id: parent }) => id === sender.crawlId && parent === crawl.id);
  const goneBefore = missing.filter((one) => !isRecheck(one)).map(({ parameters }) => parameters['restId']);
  const isExpected = known.some((id) => !goneBefore.includes(id));
  if (account && isExpected && account.until <= timesOf(evidence, crawl)[0])
    evidence.fail('invariant 5', `${describeEnding(crawl)}, and the account was gone`);
}
