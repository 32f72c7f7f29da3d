import type { GraphSelection } from '../networks.ts';
import { countLeftOut, tweetConditions } from './contacts.ts';
import { allOf, type Exclusions, excludedRelations, type NetworkSql, type Relation } from './relations.ts';

/** Networks whose nodes are connected when they share an item: hashtags that share a tweet, accounts that share a link. */

/** Hashtags are numbered in order of their text. */
export function defineCohashtags(selection: GraphSelection, exclusions: Exclusions): NetworkSql {
  const has = 'exists (select 1 from tweet_hashtags h where h.tweet_id = t.id)';
  const { accountRestIds } = selection;
  const conditions = [
    ...tweetConditions('t', selection, exclusions),
    ...(accountRestIds === undefined ? [] : ['t.author_id in (select id from given_accounts)']),
  ];
  return {
    ...connect(selection, [
      ...excludedRelations(exclusions),
      ...(accountRestIds === undefined ? [] : [givenAccounts(accountRestIds)]),
      {
        name: 'named',
        columns: { key: 'text primary key', label: 'text', id: 'integer not null' },
        select:
          "select tag, '#' || tag, row_number() over (order by tag) from (select distinct tag from tweet_hashtags)",
      },
      shared(`select h.tweet_id, n.id, t.created_at
from tweet_hashtags h join named n on n.key = h.tag join tweets t on t.id = h.tweet_id
where ${allOf(conditions)}`),
    ]),
    otherNodes: 'select id, key, label from named',
    leftOut: countLeftOut(has, selection, exclusions),
  };
}

export function defineColinks(selection: GraphSelection, exclusions: Exclusions): NetworkSql {
  const has = 'exists (select 1 from tweet_links l where l.tweet_id = t.id)';
  return {
    ...connect(selection, [
      ...excludedRelations(exclusions),
      shared(`select dense_rank() over (order by link), author, min(at)
from (
  select t.author_id as author, ${LINK_IDENTITY} as link, t.created_at as at
  from (${LINK_PARTS}) l join tweets t on t.id = l.tweet_id
  where ${allOf(tweetConditions('t', selection, exclusions))}
)
group by link, author`),
    ]),
    leftOut: countLeftOut(has, selection, exclusions),
  };
}

/** The ids of accounts are digits, letters, _ and -: they need no escapes in JSON or SQL. */
const givenAccounts = (restIds: readonly string[]): Relation => ({
  name: 'given_accounts',
  columns: { id: 'integer primary key' },
  select: `select u.id from users u where u.rest_id in (select value from json_each('${JSON.stringify(restIds).replaceAll("'", "''")}'))`,
});

const shared = (select: string): Relation => ({
  name: 'shared',
  columns: { item: 'integer not null', member: 'integer not null', at: 'integer' },
  select,
  indexes: ['member, item, at', 'item, member, at'],
});

const connect = ({ minWeight }: GraphSelection, relations: readonly Relation[]) => ({
  relations,
  // `cross join` fixes the order: members by their number, and the items of each.
  edges: (range: (source: string) => string = () => 'true') => `select a.member, b.member, count(*) as weight,
  min(max(a.at, b.at)), max(max(a.at, b.at)), null, null, null
from shared a cross join shared b on b.item = a.item and b.member > a.member
where ${range('a.member')}
group by a.member, b.member having weight >= ${minWeight}`,
  lastSource: 'select max(member) from shared',
});

/** `url` without its scheme, its fragment and its parameters from the first `utm_…` on, and without `www.`. */
const LINK_PARTS = `select tweet_id, iif(address like 'www.%', substr(address, 5), address) as address from (
    select tweet_id, substr(url, instr(url, '://') + 3) as address from (
      select tweet_id, substr(url, 1, instr(url || '&utm_', '&utm_') - 1) as url from (
        select tweet_id, substr(url, 1, instr(url || '?utm_', '?utm_') - 1) as url from (
          select tweet_id, substr(url, 1, instr(url || '#', '#') - 1) as url from tweet_links))))`;

/** The address with its host in lower case, and without a slash at its end. */
const LINK_IDENTITY = `rtrim(lower(substr(l.address, 1, instr(l.address || '/', '/') - 1)) || substr(l.address, instr(l.address || '/', '/')), '/')`;
