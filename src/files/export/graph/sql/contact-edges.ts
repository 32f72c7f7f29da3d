import type { GraphSelection } from '../networks.ts';
import { allOf, countLeftOut, excludedRelations, isIncluded, isShown, type NetworkSql } from './network-sql.ts';

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
