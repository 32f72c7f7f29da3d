import type { GraphSelection } from '../networks.ts';
import { allOf, countLeftOut, excludedRelations, isIncluded, type NetworkSql, type Relation } from './network-sql.ts';

/** A network whose nodes are connected when they share an item: hashtags that share a tweet, accounts that share a link. */
interface SharedItems {
  /** The table with the items of tweets. */
  readonly table: string;
  readonly relations?: readonly Relation[];
  /** The statement of item, member and time. @param condition of a tweet `t` */
  readonly shared: (condition: string) => string;
  readonly otherNodes?: string;
  /** Whether accounts select the authors of the tweets: the nodes are no accounts. */
  readonly isByAuthor?: true;
}

/** Hashtags are numbered in order of their text. */
const COHASHTAGS: SharedItems = {
  table: 'tweet_hashtags',
  relations: [
    {
      name: 'named',
      columns: 'key text primary key, label text, id integer not null',
      select: "select tag, '#' || tag, row_number() over (order by tag) from (select distinct tag from tweet_hashtags)",
    },
  ],
  shared: (condition) => `select h.tweet_id, n.id, t.created_at
from tweet_hashtags h join named n on n.key = h.tag join tweets t on t.id = h.tweet_id where ${condition}`,
  otherNodes: 'select id, key, label from named',
  isByAuthor: true,
};

/** `url` without its scheme, its fragment and its parameters from the first `utm_…` on, and without `www.`. */
const LINK_PARTS = `select tweet_id, iif(address like 'www.%', substr(address, 5), address) as address from (
    select tweet_id, substr(url, instr(url, '://') + 3) as address from (
      select tweet_id, substr(url, 1, instr(url || '&utm_', '&utm_') - 1) as url from (
        select tweet_id, substr(url, 1, instr(url || '?utm_', '?utm_') - 1) as url from (
          select tweet_id, substr(url, 1, instr(url || '#', '#') - 1) as url from tweet_links))))`;

/** The address with its host in lower case, and without a slash at its end. */
const LINK_IDENTITY = `rtrim(lower(substr(l.address, 1, instr(l.address || '/', '/') - 1)) || substr(l.address, instr(l.address || '/', '/')), '/')`;

const COLINKS: SharedItems = {
  table: 'tweet_links',
  shared: (condition) => `select dense_rank() over (order by link), author, min(at)
from (
  select t.author_id as author, ${LINK_IDENTITY} as link, t.created_at as at
  from (${LINK_PARTS}) l join tweets t on t.id = l.tweet_id where ${condition}
)
group by link, author`,
};

/** The ids of accounts are digits, letters, _ and -: they need no escapes in JSON or SQL. */
const isByGivenAuthor = (restIds: readonly string[]): string =>
  `t.author_id in (select id from users where rest_id in
    (select value from json_each('${JSON.stringify(restIds).replaceAll("'", "''")}')))`;

const defineSharedItems =
  ({ table, relations = [], shared, isByAuthor, ...network }: SharedItems) =>
  (selection: GraphSelection): NetworkSql => {
    const { accountRestIds, minWeight } = selection;
    const authors = isByAuthor && accountRestIds ? isByGivenAuthor(accountRestIds) : undefined;
    return {
      ...network,
      relations: [
        ...excludedRelations(selection),
        ...relations,
        {
          name: 'shared',
          columns: 'item integer not null, member integer not null, at integer',
          select: shared(allOf(isIncluded(selection), authors)),
          indexes: ['member, item, at', 'item, member, at'],
        },
      ],
      // `cross join` fixes the order: members by their number, and the items of each.
      edges: `select a.member, b.member, count(*) as weight, min(max(a.at, b.at)), max(max(a.at, b.at)), null, null
from shared a cross join shared b on b.item = a.item and b.member > a.member
where a.member > @from and a.member <= @to
group by a.member, b.member having weight >= ${minWeight}`,
      lastSource: 'select coalesce(max(member), 0) from shared',
      leftOut: countLeftOut(selection, `exists (select 1 from ${table} x where x.tweet_id = t.id)`),
    };
  };

export const defineCohashtags = defineSharedItems(COHASHTAGS);
export const defineColinks = defineSharedItems(COLINKS);
