import { ERASED_MARK } from '../../store/erasure/erased-mark.ts';
import { FACT_USES, type FactUse } from '../../store/erasure/fact-uses.ts';
import { isForgottenTarget } from '../../store/erasure/incoming/forgotten-targets.ts';
import type { ForgottenNames } from '../../store/erasure/incoming/names.ts';
import { COMMON_COLUMNS, type Fact, FACT_TABLES, type FactTableName } from '../facts/fact-tables.ts';

const COMMON = Object.keys(COMMON_COLUMNS).length;
const TWEET = columnsOf('tweet_sightings');

function columnsOf(table: FactTableName): { readonly [column: string]: number } {
  return Object.fromEntries(Object.keys(FACT_TABLES[table].columns).map((column, i) => [column, i + COMMON]));
}

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
    const scrubbed = scrubValue(value, (text) => isId(text) || isMentioned(text));
    return JSON.stringify(scrubbed) === JSON.stringify(value) ? json : JSON.stringify(scrubbed);
  };
  const CHANGES: Partial<Record<FactUse, (text: string) => string>> = {
    item: (id) => (isId(id) ? '' : id),
    json: (json) => scrub(json, names.isNamedIn),
    notes: note,
    words: names.redact,
    names: (json) => scrub(json, (text) => names.isRedacted(text) || names.redact(text) !== text),
  };
  const isTarget = (kind: string, target: string): boolean =>
    tweets.has(target) || names.isAccount(target) || isForgottenTarget({ kind, target }, names, () => false);
  const HIDES: Partial<Record<FactUse, (text: string, kind: string) => boolean>> = {
    account: isId,
    tweet: isId,
    query: (text) => names.isNamedIn(text),
    list: (target, kind) => isTarget(kind, target),
  };

  return (table: FactTableName, fact: Fact): Fact | undefined => {
    const at = columnsOf(table);
    const uses = Object.entries(FACT_USES[table]) as [string, FactUse][];
    const textOf = (column: string): string | undefined => {
      const value = at[column] === undefined ? undefined : fact[at[column]];
      return typeof value === 'string' ? value : undefined;
    };
    const kind = textOf('kind') ?? '';
    if (table === 'crawls' && textOf('target_rest_id') === undefined && isTarget(kind, textOf('target') ?? ''))
      return undefined;
    const changed = [...fact];
    for (const [column, use] of uses) {
      const text = textOf(column);
      if (text === undefined) continue;
      if (HIDES[use]?.(text, kind)) return undefined;
      const value = CHANGES[use]?.(text);
      if (value !== undefined) changed[at[column]!] = value;
    }
    if (table === 'tweet_sightings' && isReplyToForgotten(textOf))
      for (const [column, use] of uses)
        if (use === 'reply') changed[at[column]!] = column === 'in_reply_to_screen_name' ? ERASED_MARK : null;
    return changed.every((value, i) => value === fact[i]) ? fact : changed;
  };

  function isReplyToForgotten(textOf: (column: string) => string | undefined): boolean {
    const [status, user] = [textOf('in_reply_to_status_rest_id'), textOf('in_reply_to_user_rest_id')];
    if (status !== undefined && isId(status)) return true;
    if (user !== undefined) return isId(user);
    const handle = textOf('in_reply_to_screen_name');
    return handle !== undefined && handle !== ERASED_MARK && names.isHandle(handle);
  }
}

/** Elements of arrays that name an account are left out, other texts become empty. */
function scrubValue(value: unknown, isErased: (text: string) => boolean): unknown {
  if (typeof value === 'string') return isErased(value) ? '' : value;
  if (Array.isArray(value))
    return value
      .filter((each) => typeof each !== 'string' || !isErased(each))
      .map((each) => scrubValue(each, isErased));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, scrubValue(each, isErased)]));
}
