import { ENTITIES } from '#store/merge/merge-tweets.ts';
import { type FactTableName, PROPERTY_NAMES } from '#store/outbox/fact-tables.ts';
import { TWEET_LISTS } from '#store/relations/list-relations.ts';
import type { Observation } from '#store/schema/commit-messages.ts';
import {
  type EdgeList,
  NO_ROWS,
  type PageRows,
  type TweetList,
  type TweetRow,
  type UserRow,
} from '#store/schema/normalised-rows.ts';
import type { Entry, NamedFact } from './read-shipped-entries.ts';

/** Facts of a response as the rows that it was stored with. */

function toRow(fact: NamedFact): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const column of Object.keys(fact)) {
    const name = PROPERTY_NAMES[column];
    if (name !== undefined) row[name] = fact[column];
  }
  return row;
}

export const toUserRow = (fact: NamedFact): UserRow => toRow(fact) as unknown as UserRow;

const PARTS = ['media', ...Object.keys(ENTITIES)];

/** @param listed the list of the response: a tweet that is not in it is pinned */
export function toTweetRow(fact: NamedFact, listed: number): TweetRow {
  const { seenInLists, ...row } = toRow(fact);
  for (const part of PARTS) row[part] = JSON.parse((row[part] as string | null) ?? '[]');
  if (listed > 0 && seenInLists === 0) row['isPinned'] = true;
  return row as unknown as TweetRow;
}

/** Returns what the responses of an entry showed, oldest first. The response of the page is the last one. */
export function toObservations({ facts }: Entry): Observation[] {
  const listed = Math.max(0, ...(facts.get('tweet_sightings') ?? []).map((fact) => Number(fact['seen_in_lists'] ?? 0)));
  const times = new Set(
    SIGHTINGS.flatMap((table) => (facts.get(table) ?? []).map((fact) => fact['seen_at'] as number)),
  );
  return [...times]
    .toSorted((a, b) => a - b)
    .map((at) => ({
      at,
      rows: toPageRows((table) => (facts.get(table) ?? []).filter((fact) => fact['seen_at'] === at), listed),
    }));
}

const SIGHTINGS: readonly FactTableName[] = [
  'user_sightings',
  'tweet_sightings',
  'edge_sightings',
  'group_sightings',
  ...TWEET_LISTS.map(([, { fact }]) => fact),
];

type ListFacts = (table: FactTableName) => readonly NamedFact[];

const toPageRows = (list: ListFacts, listed: number): PageRows => ({
  ...NO_ROWS,
  users: list('user_sightings').map(toUserRow),
  tweets: list('tweet_sightings').map((fact) => toTweetRow(fact, listed)),
  follows: toEdgeLists(list('edge_sightings')),
  tweetLists: TWEET_LISTS.flatMap((relation) => toTweetLists(relation, list)),
});

/** Returns the lists of a relation, with their tweets in order of rank. */
export function toTweetLists(
  [kind, { fact, factColumns, isGroup }]: (typeof TWEET_LISTS)[number],
  list: ListFacts,
): TweetList[] {
  const lists = new Map<unknown, TweetList & { tweets: string[] }>();
  const read = (table: FactTableName) => list(table).filter((row) => (row['kind'] ?? kind) === kind);
  const tweetsOf = (target: string, about: object = {}): string[] => {
    const known = lists.get(target) ?? { kind, target, ...about, tweets: [] };
    lists.set(target, known);
    return known.tweets;
  };
  if (isGroup)
    for (const { rest_id: id, name, description } of read('group_sightings'))
      tweetsOf(id as string, { name, description });
  const shown = read(fact).toSorted((a, b) => Number(a['rank'] ?? 0) - Number(b['rank'] ?? 0));
  for (const row of shown) tweetsOf(row[factColumns[0]] as string).push(row[factColumns[1]] as string);
  return [...lists.values()];
}

function toEdgeLists(facts: readonly NamedFact[]): EdgeList[] {
  const lists = new Map<string, { side: EdgeList['side']; owner: string; members: string[] }>();
  for (const { side, owner_rest_id: owner, member_rest_id: member } of facts) {
    const key = `${side as string} ${owner as string}`;
    const list = lists.get(key) ?? { side: side as EdgeList['side'], owner: owner as string, members: [] };
    lists.set(key, list);
    list.members.push(member as string);
  }
  return [...lists.values()];
}
