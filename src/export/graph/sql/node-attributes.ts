import type { ResultColumn } from '../../result-set.ts';
import type { NetworkName } from '../networks.ts';

/** An attribute of nodes, and the expressions of its value for a stored account `u` (last seen: `s`) and for another node `n`. */
export interface NodeAttribute extends ResultColumn {
  readonly ofAccount: string;
  readonly ofOther: string;
}

const KNOWN_BY =
  "case when u.profile_at is not null then 'profile' when s.last_summary_at is not null then 'summary' else 'reference' end";

const ACCOUNT_ATTRIBUTES: readonly NodeAttribute[] = (
  [
    ['name', 'text', 'u.name', 'The display name.'],
    ['followers_count', 'integer', 'u.followers_count', 'Followers, as the service counts them.'],
    ['following_count', 'integer', 'u.following_count', 'Followed accounts, as the service counts them.'],
    ['statuses_count', 'integer', 'u.statuses_count', 'Tweets, as the service counts them.'],
    ['verified', 'boolean', 'u.verified', 'Whether the account is verified.'],
    ['created_at', 'timestamp', 'u.created_at', 'When the account was created.'],
  ] as const
).map(([name, type, ofAccount, description]) => ({ name, type, description, ofAccount, ofOther: 'null' }));

const knownBy = (network: NetworkName): NodeAttribute => ({
  name: 'known_by',
  type: 'text',
  description:
    'What shows the account: profile, summary (in a list) or reference; for an account that is not stored: mention or reply.',
  ofAccount: KNOWN_BY,
  ofOther: network === 'mentions' ? "'mention'" : "'reply'",
});

const STEP: NodeAttribute = {
  name: 'step',
  type: 'integer',
  description: 'The number of steps from the given accounts: 0 for these.',
  ofAccount: '(select min(m.step) from members m where m.id = u.id)',
  ofOther: '(select min(m.step) from members m where m.id = n.id)',
};

const sharedItems = (name: string, description: string): NodeAttribute => ({
  name,
  type: 'integer',
  description,
  ofAccount: '(select count(*) from shared where member = u.id)',
  ofOther: '(select count(*) from shared where member = n.id)',
});

/** Returns the attributes of the nodes of a network. `hasMembers`: accounts were given. */
export function nodeAttributes(network: NetworkName, hasMembers: boolean): readonly NodeAttribute[] {
  const steps = hasMembers ? [STEP] : [];
  if (network === 'cohashtags') return [sharedItems('tweets', 'The number of tweets with the hashtag.')];
  const links = network === 'colinks' ? [sharedItems('links', 'The number of links that the account shared.')] : [];
  return [...ACCOUNT_ATTRIBUTES, knownBy(network), ...links, ...steps];
}
