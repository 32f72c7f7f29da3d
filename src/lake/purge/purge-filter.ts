import { eraseTexts } from '../../store/erasure/erase-texts.ts';
import { ERASED_MARK } from '../../store/erasure/erased-mark.ts';
import { createFactFilter, keyColumns } from '../../store/erasure/fact-filter.ts';
import type { ForgottenNames } from '../../store/erasure/incoming/forgotten-names.ts';
import { isForgottenTarget } from '../../store/erasure/incoming/forgotten-targets.ts';
import { COMMON_COLUMNS, type Fact, FACT_TABLES } from '../../store/outbox/fact-tables.ts';

const COMMON = Object.keys(COMMON_COLUMNS).length;
const TWEET: Readonly<Record<string, number>> = Object.fromEntries(
  Object.keys(FACT_TABLES.tweet_sightings.columns).map((column, i) => [column, i + COMMON]),
);

/** The ids of tweets that a fact shows to be of forgotten accounts: its own, or the one that it answers. */
export function* findOwnTweets(fact: Fact, names: ForgottenNames): Generator<string, void, undefined> {
  const isOf = (author: string, tweet: string): boolean =>
    typeof fact[TWEET[author]!] === 'string' &&
    typeof fact[TWEET[tweet]!] === 'string' &&
    names.isAccount(fact[TWEET[author]!] as string);
  if (isOf('author_rest_id', 'rest_id')) yield fact[TWEET['rest_id']!] as string;
  if (isOf('in_reply_to_user_rest_id', 'in_reply_to_status_rest_id'))
    yield fact[TWEET['in_reply_to_status_rest_id']!] as string;
}

/**
 * Returns a function that returns a fact without forgotten accounts: the fact itself if it names none, and undefined if it
 * goes. Ids decide: another account may have a handle now. Display names are not known by hashes.
 * @param tweets the ids of their tweets
 */
export function createPurgeFilter(names: ForgottenNames, tweets: ReadonlySet<string>) {
  const isId = (id: string): boolean => tweets.has(id) || names.isAccount(id);
  const note = (text: string): string => (names.isNamedIn(text) ? ERASED_MARK : text);
  const scrub = (json: string, isMentioned: (text: string) => boolean): string => {
    const value: unknown = JSON.parse(json);
    const scrubbed = eraseTexts(value, (text) => isId(text) || isMentioned(text));
    return JSON.stringify(scrubbed) === JSON.stringify(value) ? json : JSON.stringify(scrubbed);
  };
  const isTarget = (target: string, kind: string): boolean =>
    tweets.has(target) || names.isAccount(target) || isForgottenTarget({ kind, target }, names, () => false);
  return createFactFilter(
    {
      isId,
      isHandle: names.isHandle,
      hides: {
        account: isId,
        tweet: isId,
        query: (text) => names.isNamedIn(text),
        list: isTarget,
        target: (target, kind, textOf) => textOf('target_rest_id') === undefined && isTarget(target, kind),
      },
      changes: {
        item: (id) => (isId(id) ? '' : id),
        json: (json) => scrub(json, names.isNamedIn),
        notes: note,
        words: names.redact,
        names: (json) => scrub(json, names.isMention),
      },
    },
    keyColumns((_, place) => COMMON + place),
  );
}
