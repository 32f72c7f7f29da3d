import type { NetworkName } from '#files/export/graph/networks.ts';
import type { ColumnType, ResultColumn } from '#files/export/result-set.ts';

/** An attribute of nodes, and the expressions of its value for a stored account `u` (last seen: `s`) and for another node `n`. */
export interface NodeAttribute extends ResultColumn {
  readonly ofAccount: string;
  readonly ofOther: string;
}

const attribute = (
  name: string,
  type: ColumnType,
  description: string,
  ofAccount: string,
  ofOther = 'null',
): NodeAttribute => ({ name, type, description, ofAccount, ofOther });

const ACCOUNT_ATTRIBUTES = [
  attribute('name', 'text', 'The display name.', 'u.name'),
  attribute('followers_count', 'integer', 'Followers, as the service counts them.', 'u.followers_count'),
  attribute('following_count', 'integer', 'Followed accounts, as the service counts them.', 'u.following_count'),
  attribute('statuses_count', 'integer', 'Tweets, as the service counts them.', 'u.statuses_count'),
  attribute('verified', 'boolean', 'Whether the account is verified.', 'u.verified'),
  attribute('created_at', 'timestamp', 'When the account was created.', 'u.created_at'),
];

const knownBy = (network: NetworkName): NodeAttribute =>
  attribute(
    'known_by',
    'text',
    'What shows the account: profile, summary (in a list) or reference; for an account that is not stored: mention or reply.',
    "case when u.profile_at is not null then 'profile' when s.last_summary_at is not null then 'summary' else 'reference' end",
    network === 'mentions' ? "'mention'" : "'reply'",
  );

const countShared = (id: string): string => `(select count(*) from shared where member = ${id})`;
const LINKS = attribute('links', 'integer', 'The number of links that the account shared.', countShared('u.id'));
const TWEETS = attribute('tweets', 'integer', 'The number of tweets with the hashtag.', 'null', countShared('n.id'));

const stepOf = (id: string): string => `(select m.step from members m where m.id = ${id})`;
const STEP = attribute(
  'step',
  'integer',
  'The number of steps from the given accounts: 0 for these.',
  stepOf('u.id'),
  stepOf('n.id'),
);

/** Returns the attributes of the nodes of a network. `hasMembers`: accounts were given. */
export const nodeAttributes = (network: NetworkName, hasMembers: boolean): readonly NodeAttribute[] =>
  network === 'cohashtags'
    ? [TWEETS]
    : [
        ...ACCOUNT_ATTRIBUTES,
        knownBy(network),
        ...(network === 'colinks' ? [LINKS] : []),
        ...(hasMembers ? [STEP] : []),
      ];
