import type { GraphSelection } from '../networks.ts';
import { allOf, type Exclusions, excludedRelations, isShown, type NetworkSql, type Relation } from './relations.ts';

type TweetSelection = Pick<GraphSelection, 'since' | 'until'>;

/** The conditions of a tweet whose author is known, by its alias. The plus excludes the index on the time: tweets are read by author. */
export const tweetConditions = (
  t: string,
  { since, until }: TweetSelection,
  exclusions: Exclusions,
): readonly string[] => [
  `${t}.author_id is not null`,
  ...(since === undefined ? [] : [`+${t}.created_at >= ${since}`]),
  ...(until === undefined ? [] : [`+${t}.created_at < ${until}`]),
  ...(exclusions.hasTweets ? [`${t}.id not in (select id from excluded_tweets)`] : []),
  ...isShown(`${t}.author_id`, exclusions),
];

const NO_EXCLUSIONS: Exclusions = { hasAccounts: false, hasTweets: false };

/**
 * The statements that count the tweets left out of a network: deleted tweets, and others of or to unavailable accounts.
 * @param has the condition of a tweet `t` that has a part in the network
 * @param toExcluded the tables and the condition of tweets `t` that lead to excluded accounts
 */
export function countLeftOut(
  has: string,
  selection: Pick<GraphSelection, 'since' | 'until' | 'includeDeleted'>,
  exclusions: Exclusions,
  toExcluded?: string,
): Record<string, string> {
  if (selection.includeDeleted) return {};
  const { hasAccounts, hasTweets } = exclusions;
  const isSelected = tweetConditions('t', selection, NO_EXCLUSIONS);
  const isNotDeleted = tweetConditions('t', selection, { hasAccounts: false, hasTweets });
  const ofAccounts = [
    `(select count(*) from excluded_accounts x join tweets t on t.author_id = x.id where ${allOf([has, ...isNotDeleted])})`,
    ...(toExcluded === undefined
      ? []
      : [`(select count(distinct t.id) from ${allOf([toExcluded, ...tweetConditions('t', selection, exclusions)])})`]),
  ];
  return {
    deletedTweets: hasTweets
      ? `select count(*) from excluded_tweets x join tweets t on t.id = x.id where ${allOf([has, ...isSelected])}`
      : 'select 0',
    unavailableAccounts: hasAccounts ? `select ${ofAccounts.join(' + ')}` : 'select 0',
  };
}

/** A network of tweets that lead from their author to another account. */
interface Contacts {
  /** The accounts of which only a key is known: key (`@handle`, or the id of an account) and label. */
  readonly keys: string;
  /** The contacts: source, tweet, at, target (a stored account), key. A target wins over a key. */
  readonly contacts: string;
  /** The condition of a tweet `t` that has a contact. */
  readonly has: string;
  /** The tables and the condition of tweets `t` that lead to excluded accounts. */
  readonly toExcluded: string;
  readonly leftOut?: Readonly<Record<string, string>>;
}

const MENTIONS: Contacts = {
  keys: "select distinct '@' || screen_name as key, screen_name as label from tweet_mentions",
  contacts: `select t.author_id as source, t.id as tweet, t.created_at as at, null as target, '@' || m.screen_name as key
    from tweets t join tweet_mentions m on m.tweet_id = t.id`,
  has: 'exists (select 1 from tweet_mentions m where m.tweet_id = t.id)',
  toExcluded: `named n join tweet_mentions m on m.screen_name = substr(n.key, 2) join tweets t on t.id = m.tweet_id
    where n.id in (select id from excluded_accounts)`,
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
    'excluded_accounts x join users u on u.id = x.id join tweets t on t.in_reply_to_user_rest_id = u.rest_id where true',
  leftOut: {
    unknownParents: `select count(*) from tweets t where t.in_reply_to_status_rest_id is not null and t.author_id is not null
      and coalesce(t.in_reply_to_user_rest_id, t.in_reply_to_screen_name) is null
      and not exists (select 1 from tweets p where p.rest_id = t.in_reply_to_status_rest_id and p.author_id is not null)`,
  },
};

/** Accounts by their keys. A handle is that of the stored account that was last seen with it; other keys get ids beyond those of the accounts. */
const named = (keys: string): Relation => ({
  name: 'named',
  columns: { key: 'text primary key', label: 'text', id: 'integer not null' },
  select: `select k.key, k.label, coalesce(
  iif(k.key glob '@*', (select o.id from users o left join _user_last_seen s on s.user_id = o.id
    where o.screen_name = substr(k.key, 2) collate nocase order by s.last_seen_at desc, o.id desc limit 1), null),
  (select coalesce(max(id), 0) from users) + row_number() over (order by k.key))
from (${keys}) k`,
});

export const defineMentions = (selection: GraphSelection, exclusions: Exclusions): NetworkSql =>
  defineContacts(MENTIONS, selection, exclusions);

export const defineReplies = (selection: GraphSelection, exclusions: Exclusions): NetworkSql =>
  defineContacts(REPLIES, selection, exclusions);

function defineContacts(
  { keys, contacts, has, toExcluded, leftOut }: Contacts,
  { minWeight, ...selection }: GraphSelection,
  exclusions: Exclusions,
): NetworkSql {
  const conditions = tweetConditions('t', selection, exclusions);
  return {
    relations: [...excludedRelations(exclusions), named(keys)],
    edges: (
      range = () => 'true',
    ) => `select source, target, count(distinct tweet) as weight, min(at), max(at), null, null, null
from (
  select c.source, c.tweet, c.at, coalesce(c.target, n.id) as target
  from (
    ${contacts}
    where ${allOf([...conditions, range('t.author_id')])}
  ) c
  left join named n on n.key = c.key
)
where ${allOf(['target is not null', ...isShown('target', exclusions)])}
group by source, target having weight >= ${minWeight}`,
    otherNodes: 'select id, key, label from named where id > (select coalesce(max(id), 0) from users)',
    lastSource: 'select max(id) from users',
    leftOut: { ...leftOut, ...countLeftOut(has, selection, exclusions, toExcluded) },
  };
}
