import type { GraphSelection } from '#files/export/graph/networks.ts';
import {
  allOf,
  countLeftOut,
  excludedRelations,
  isIncluded,
  isShown,
  type NetworkSql,
  type Relation,
} from './network-sql.ts';

/** A network of tweets that lead from their author to another account. */
interface Contacts {
  /** The accounts of which only a key is known: key (`@handle`, or the id of an account) and label. */
  readonly keys: string;
  /** The contacts: source, tweet, at, target (a stored account), key. A target wins over a key. */
  readonly contacts: string;
  /** The condition of a tweet `t` that has a contact. */
  readonly has: string;
  /** The tables and the condition of tweets `t` that lead to unavailable accounts. */
  readonly toExcluded: string;
  readonly leftOut?: Readonly<Record<string, string>>;
}

const MENTIONS: Contacts = {
  keys: "select distinct '@' || screen_name as key, screen_name as label from tweet_mentions",
  contacts: `select t.author_id as source, t.id as tweet, t.created_at as at, null as target, '@' || m.screen_name as key
    from tweets t join tweet_mentions m on m.tweet_id = t.id`,
  has: 'exists (select 1 from tweet_mentions m where m.tweet_id = t.id)',
  toExcluded: `named n join tweet_mentions m on m.screen_name = substr(n.key, 2) join tweets t on t.id = m.tweet_id
    where n.id in (select id from unavailable)`,
};

/** A reply answers the author of its parent tweet: by the id of the tweet, by its position below it, or by the fields of the reply. */
const REPLIES: Contacts = {
  keys: `select in_reply_to_user_rest_id as key, max(in_reply_to_screen_name) as label from tweets
      where in_reply_to_user_rest_id is not null and in_reply_to_user_rest_id not in (select rest_id from users) group by 1
    union all
    select '@' || lower(in_reply_to_screen_name), max(in_reply_to_screen_name) from tweets
      where in_reply_to_user_rest_id is null and in_reply_to_screen_name is not null group by 1`,
  contacts: `select t.author_id as source, t.id as tweet, t.created_at as at, coalesce(p.author_id, q.author_id, u.id) as target,
      coalesce(t.in_reply_to_user_rest_id, '@' || lower(t.in_reply_to_screen_name)) as key
    from tweets t
    left join tweets p on p.rest_id = t.in_reply_to_status_rest_id
    left join tweet_replies n on n.reply_id = t.id and t.in_reply_to_status_rest_id is null
    left join tweets q on q.id = n.tweet_id
    left join users u on u.rest_id = t.in_reply_to_user_rest_id`,
  has: `(coalesce(t.in_reply_to_status_rest_id, t.in_reply_to_user_rest_id, t.in_reply_to_screen_name) is not null
    or exists (select 1 from tweet_replies n where n.reply_id = t.id))`,
  toExcluded:
    'unavailable x join users u on u.id = x.id join tweets t on t.in_reply_to_user_rest_id = u.rest_id where true',
  leftOut: {
    unknownParents: `select count(*) from tweets t where t.in_reply_to_status_rest_id is not null and t.author_id is not null
      and coalesce(t.in_reply_to_user_rest_id, t.in_reply_to_screen_name) is null
      and not exists (select 1 from tweets p where p.rest_id = t.in_reply_to_status_rest_id and p.author_id is not null)`,
  },
};

const LAST_USER = 'select coalesce(max(id), 0) from users';

/** Accounts by their keys. A handle is that of the stored account that was last seen with it; other keys get ids beyond those of the accounts. */
const selectNamed = (keys: string): string => `select k.key, k.label, coalesce(
  iif(k.key glob '@*', (select o.id from users o left join _user_last_seen s on s.user_id = o.id
    where o.screen_name = substr(k.key, 2) collate nocase order by s.last_seen_at desc, o.id desc limit 1), null),
  (${LAST_USER}) + row_number() over (order by k.key))
from (${keys}) k`;

const defineContacts =
  ({ keys, contacts, has, toExcluded, leftOut }: Contacts) =>
  (selection: GraphSelection): NetworkSql => ({
    relations: [
      ...excludedRelations(selection),
      { name: 'named', columns: 'key text primary key, label text, id integer not null', select: selectNamed(keys) },
    ],
    edges: `select source, target, count(distinct tweet) as weight, min(at), max(at), null, null
from (
  select c.source, c.tweet, c.at, coalesce(c.target, n.id) as target
  from (${contacts} where ${allOf(isIncluded(selection), 't.author_id > @from', 't.author_id <= @to')}) c
  left join named n on n.key = c.key
)
where ${allOf('target is not null', isShown('target'))}
group by source, target having weight >= ${selection.minWeight}`,
    otherNodes: `select id, key, label from named where id > (${LAST_USER})`,
    lastSource: LAST_USER,
    leftOut: { ...leftOut, ...countLeftOut(selection, has, toExcluded) },
  });

export const defineMentions = defineContacts(MENTIONS);
export const defineReplies = defineContacts(REPLIES);

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
