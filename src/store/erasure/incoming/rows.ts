import { TWEET_RELATIONS } from '../../relations/list-relations.ts';
import type { PageRows, TweetList, TweetRow, UserRow } from '../../schema/rows.ts';
import { ERASED_MARK } from '../erased-mark.ts';
import type { ForgottenNames } from './names.ts';

/** The rows of a response without those of forgotten accounts. */
export interface FilteredRows {
  readonly rows: PageRows;
  /** The rows of forgotten accounts. */
  readonly users: readonly UserRow[];
  /** The ids of their tweets. */
  readonly tweetIds: readonly string[];
  /** The items that are left out: members of a list of accounts, or tweets. */
  readonly items: number;
  /** A row was left out or changed. */
  readonly hasChanged: boolean;
}

/** Removes the rows of forgotten accounts, and what names them in the other rows as their erasures demand. */
export function filterRows(rows: PageRows, names: ForgottenNames): FilteredRows {
  const isOfForgotten = ({ authorRestId }: TweetRow): boolean => authorRestId != null && names.isAccount(authorRestId);
  const forgottenUsers = rows.users.filter(({ restId }) => names.isAccount(restId));
  const tweetIds = rows.tweets.filter(isOfForgotten).map(({ restId }) => restId);
  const erased = new Set(tweetIds);
  const isErased: Readonly<Record<string, (id: string) => boolean>> = {
    users: names.isAccount,
    tweets: (id) => erased.has(id),
  };
  const members = rows.follows.flatMap((list) => list.members).filter(names.isAccount);
  const found = { users: forgottenUsers, tweetIds, items: members.length > 0 ? members.length : tweetIds.length };
  // A list of a forgotten account: its members are known only by it.
  if (rows.follows.some(({ owner }) => names.isAccount(owner)))
    return { ...found, rows: { ...rows, users: [], tweets: [], follows: [], tweetLists: [] }, hasChanged: true };
  const kept = {
    ...rows,
    users: rows.users.filter(({ restId }) => !names.isAccount(restId)).map((user) => redactUser(user, names)),
    tweets: rows.tweets.filter((tweet) => !isOfForgotten(tweet)).map((tweet) => redactTweet(tweet, names)),
    follows: rows.follows.map((list) => ({ ...list, members: list.members.filter((id) => !names.isAccount(id)) })),
    tweetLists: rows.tweetLists
      .filter(({ kind, target }) => !isErased[TWEET_RELATIONS[kind].owners]?.(target))
      .map((list) => redactTexts(keepTweets(list, erased), GROUP_TEXTS, names)),
  };
  const hasChanged =
    forgottenUsers.length + found.items > 0 ||
    (['users', 'tweets', 'tweetLists'] as const).some((name) =>
      kept[name].some((row) => !(rows[name] as readonly object[]).includes(row)),
    );
  return { ...found, rows: hasChanged ? kept : rows, hasChanged };
}

/** Returns the list itself if it shows no erased tweet. */
const keepTweets = (list: TweetList, erased: ReadonlySet<string>): TweetList =>
  list.tweets.some((id) => erased.has(id)) ? { ...list, tweets: list.tweets.filter((id) => !erased.has(id)) } : list;

/** An account that has the handle now may write it. */
const redactUser = (user: UserRow, names: ForgottenNames): UserRow =>
  user.screenName != null && names.isHandle(user.screenName) ? user : redactTexts(user, USER_TEXTS, names);

const USER_TEXTS = ['name', 'description', 'location', 'url'] as const;
const GROUP_TEXTS = ['name', 'description'] as const;
const TWEET_TEXTS = ['text'] as const;

/** Returns the row itself if no text of it changes. */
function redactTexts<Row extends object, Name extends keyof Row>(
  row: Row,
  texts: readonly Name[],
  names: ForgottenNames,
): Row {
  const changed = texts.flatMap((name) => {
    const text = row[name];
    if (typeof text !== 'string') return [];
    const redacted = names.redact(text);
    return redacted === text ? [] : [[name, redacted] as const];
  });
  return changed.length === 0 ? row : { ...row, ...Object.fromEntries(changed) };
}

/** Replies to forgotten accounts stay replies, without whom and what they answer. */
function redactTweet(tweet: TweetRow, names: ForgottenNames): TweetRow {
  const redacted = redactTexts(tweet, TWEET_TEXTS, names);
  const isReply = isReplyToForgotten(tweet, names);
  const mentions = tweet.mentions.filter((handle) => !names.isRedacted(handle));
  const hashtags = tweet.hashtags.filter((tag) => !names.isRedacted(tag));
  const links = tweet.links.filter((link) => names.redact(link) === link);
  if (
    redacted === tweet &&
    !isReply &&
    mentions.length === tweet.mentions.length &&
    hashtags.length === tweet.hashtags.length &&
    links.length === tweet.links.length
  )
    return tweet;
  return { ...redacted, mentions, hashtags, links, ...(isReply ? REPLY_TO_FORGOTTEN : {}) };
}

const REPLY_TO_FORGOTTEN = {
  inReplyToStatusRestId: null,
  inReplyToUserRestId: null,
  inReplyToScreenName: ERASED_MARK,
};

/** The id decides: another account may have the handle now. */
const isReplyToForgotten = (
  { inReplyToUserRestId: id, inReplyToScreenName: handle }: TweetRow,
  names: ForgottenNames,
) => (id == null ? handle != null && names.isHandle(handle) : names.isAccount(id));
