import { PROPERTY_NAMES } from '../../outbox/fact-tables.ts';
import { TWEET_RELATIONS } from '../../relations/list-relations.ts';
import type { PageRows, TweetList, UserRow } from '../../schema/normalised-rows.ts';
import { createFactFilter, keyColumns } from '../erase-facts.ts';
import type { ForgottenNames } from './forgotten-targets.ts';

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

const ROW_COLUMNS = keyColumns((column) => PROPERTY_NAMES[column]!);

/** Removes the rows of forgotten accounts, and what names them in the other rows as their erasures demand. */
export function filterRows(rows: PageRows, names: ForgottenNames): FilteredRows {
  const { isAccount } = names;
  const users = rows.users.filter(({ restId }) => isAccount(restId));
  const tweetIds = rows.tweets.flatMap(({ restId, authorRestId: id }) => (id != null && isAccount(id) ? [restId] : []));
  const members = rows.follows.flatMap((list) => list.members).filter(isAccount);
  const items = members.length > 0 ? members.length : tweetIds.length;
  // A list of a forgotten account: its members are known only by it.
  if (rows.follows.some(({ owner }) => isAccount(owner))) {
    const others = { ...rows, users: [], tweets: [], follows: [], tweetLists: [] };
    return { users, tweetIds, items, rows: others, hasChanged: true };
  }
  const erased = new Set(tweetIds);
  const isErased: Readonly<Record<string, (id: string) => boolean>> = {
    users: isAccount,
    tweets: (id) => erased.has(id),
  };
  const filterRow = createFactFilter(
    {
      isId: isAccount,
      isHandle: names.isHandle,
      hides: { account: isAccount },
      changes: { words: names.redact },
      isMention: names.isMention,
    },
    ROW_COLUMNS,
  );
  /** An account that has the handle now may write it. */
  const isHeir = ({ restId, screenName }: UserRow): boolean =>
    screenName != null && names.isHandle(screenName) && !isAccount(restId);
  const kept = {
    ...rows,
    users: rows.users.flatMap((user) => (isHeir(user) ? user : (filterRow('user_sightings', user) ?? []))),
    tweets: rows.tweets.flatMap((tweet) => filterRow('tweet_sightings', tweet) ?? []),
    follows: rows.follows.map((list) => ({ ...list, members: list.members.filter((id) => !isAccount(id)) })),
    tweetLists: rows.tweetLists
      .filter(({ kind, target }) => !isErased[TWEET_RELATIONS[kind].owners]?.(target))
      .flatMap((list) => filterRow('group_sightings', keepTweets(list, erased)) ?? []),
  };
  const hasChanged =
    users.length + items > 0 ||
    (['users', 'tweets', 'tweetLists'] as const).some((name) =>
      kept[name].some((row) => !(rows[name] as readonly object[]).includes(row)),
    );
  return { users, tweetIds, items, rows: hasChanged ? kept : rows, hasChanged };
}

/** Returns the list itself if it shows no erased tweet. */
const keepTweets = (list: TweetList, erased: ReadonlySet<string>): TweetList =>
  list.tweets.some((id) => erased.has(id)) ? { ...list, tweets: list.tweets.filter((id) => !erased.has(id)) } : list;
