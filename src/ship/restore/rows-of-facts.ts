import type { Observation } from '../../store/schema/messages.ts';
import type { EdgeList, PageRows, TweetRow, UserRow } from '../../store/schema/rows.ts';
import type { Entry, NamedFact } from './read-shipped-entries.ts';

/** Facts of a response as the rows that it was stored with. */

/** The names of rows by those of columns: each fact has the same ones. */
const names = new Map<string, string>();

function toCamelCase(column: string): string {
  const known = names.get(column);
  if (known !== undefined) return known;
  const name = column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  names.set(column, name);
  return name;
}

function toRow(fact: NamedFact): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const column of Object.keys(fact)) row[toCamelCase(column)] = fact[column];
  return row;
}

export function toUserRow(fact: NamedFact): UserRow {
  const { store: _, entry: __, crawlId: ___, seenAt: ____, ...row } = toRow(fact);
  return row as unknown as UserRow;
}

const parseList = (json: unknown): never[] => (typeof json === 'string' ? (JSON.parse(json) as never[]) : []);

/** @param listed the list of the response: a tweet that is not in it is pinned */
export function toTweetRow(fact: NamedFact, listed: number): TweetRow {
  const { store: _, entry: __, crawlId: ___, seenAt: ____, seenInLists, ...row } = toRow(fact);
  const { media, hashtags, mentions, links } = row;
  return {
    ...(row as unknown as TweetRow),
    ...(listed > 0 && seenInLists === 0 ? { isPinned: true as const } : {}),
    media: parseList(media),
    hashtags: parseList(hashtags),
    mentions: parseList(mentions),
    links: parseList(links),
  };
}

/** What the responses of an entry showed, oldest first. The response of the page is the last one. */
export interface EntryObservations {
  readonly observations: readonly Observation[];
  /** The flag of the page's list in `tweets.seen_in_lists`. */
  readonly listed: number;
}

export function toObservations({ facts }: Entry): EntryObservations {
  const listed = Math.max(0, ...(facts.get('tweet_sightings') ?? []).map((fact) => Number(fact['seen_in_lists'] ?? 0)));
  const sightings = [
    'user_sightings',
    'tweet_sightings',
    'edge_sightings',
    'reply_sightings',
    'group_sightings',
    'search_hits',
  ] as const;
  const times = new Set(
    sightings.flatMap((table) => (facts.get(table) ?? []).map((fact) => fact['seen_at'] as number)),
  );
  const observations = [...times]
    .toSorted((a, b) => a - b)
    .map((at) => ({
      at,
      rows: toPageRows((table) => (facts.get(table) ?? []).filter((fact) => fact['seen_at'] === at), listed),
    }));
  return { observations, listed };
}

type ListFacts = (
  table:
    | 'user_sightings'
    | 'tweet_sightings'
    | 'edge_sightings'
    | 'reply_sightings'
    | 'group_sightings'
    | 'search_hits',
) => readonly NamedFact[];

function toPageRows(list: ListFacts, listed: number): PageRows {
  const hits = list('search_hits').toSorted((a, b) => Number(a['rank']) - Number(b['rank']));
  const replies = list('reply_sightings');
  const groups = list('group_sightings').map((fact) => ({ kind: fact['kind'], row: toGroup(fact) }));
  return {
    users: list('user_sightings').map(toUserRow),
    tweets: list('tweet_sightings').map((fact) => toTweetRow(fact, listed)),
    follows: toEdgeLists(list('edge_sightings')),
    nested:
      replies.length > 0
        ? {
            tweetId: replies[0]!['tweet_rest_id'] as string,
            replies: replies.map((fact) => fact['reply_rest_id'] as string),
          }
        : undefined,
    community: groups.find(({ kind }) => kind === 'community')?.row,
    list: groups.find(({ kind }) => kind === 'list')?.row,
    search: hits[0]?.['query'] as string | undefined,
    rejects: [],
    drift: [],
  };
}

const toGroup = ({ rest_id: restId, name, description }: NamedFact) =>
  ({ restId, name, description }) as NonNullable<PageRows['list']>;

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
