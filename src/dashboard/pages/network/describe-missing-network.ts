import { pluralize } from '../../../text.ts';
import type { NetworkAbsence, NetworkNode } from '../../api/network.ts';
import { isCollected } from './list-states.ts';
import type { GivenAccounts, NetworkQuery } from './network-query.ts';

/** More accounts than a command should name. */
const MAX_NAMED = 5;

interface FoundNetwork {
  readonly query: NetworkQuery;
  readonly given: GivenAccounts;
  readonly nodes: readonly NetworkNode[];
  /** The nodes that were given, also if the network is without them. */
  readonly givenNodes: readonly Pick<NetworkNode, 'restId' | 'lists'>[];
  readonly edges: number;
}

/** Returns why there is no network, and what to do; null if there is one. */
export function describeMissingNetwork(found: FoundNetwork): NetworkAbsence | null {
  const { query, given, givenNodes, edges } = found;
  if (given.ids.length === 0 && given.unknown.length === 0)
    return {
      title: 'The panel has no members',
      cause: 'A network needs accounts.',
      command: `panel add ${query.panel} @nasa`,
    };
  if (given.ids.length === 0) {
    const names = given.unknown.filter((name) => /^(@?\w{1,50}|id:[\w-]{1,64})$/.test(name)).slice(0, MAX_NAMED);
    return {
      title: 'Not stored',
      cause: `The store has no account ${given.unknown.slice(0, MAX_NAMED).join(', ')}.`,
      command: names.length === 0 ? null : `crawl following ${names.join(' ')}`,
    };
  }
  if (givenNodes.length === 0)
    return {
      title: 'Not available',
      cause: `The service no longer shows ${given.ids.length === 1 ? 'this account' : 'these accounts'}.`,
      command: null,
    };
  if (edges > 0) return null;
  if (!givenNodes.some(isCollected))
    return {
      title: 'Not collected',
      cause: `No list of followers or followed accounts of ${givenNodes.length === 1 ? 'this account' : 'these accounts'} was collected.`,
      command: `crawl following ${nameTargets(query, givenNodes)}`,
    };
  if (!query.hasGiven)
    return {
      title: 'Not collected',
      cause: 'Without the given accounts no follow is known: no list of the accounts around them was collected.',
      command: describeNextCrawl(found),
    };
  return {
    title: 'No follows',
    cause: query.hasNeighbours
      ? 'The collected lists of these accounts are empty.'
      : `The collected lists show no follow among these ${pluralize(given.ids.length, 'account')}.`,
    command: null,
  };
}

/** Returns the command that collects more follows among the nodes, without `trawl`; null if the list of each one is collected. */
export function describeNextCrawl({ query, nodes, givenNodes }: Omit<FoundNetwork, 'edges'>): string | null {
  if (nodes.every(({ lists }) => lists.following !== 'none')) return null;
  const targets = nameTargets(query, givenNodes);
  if (!query.hasNeighbours) return `crawl following ${targets}`;
  // The snowball follows the list that shows the neighbours.
  const kind = givenNodes.some(({ lists }) => lists.following !== 'none') ? 'following' : 'followers';
  return `crawl ${kind} ${targets} --then following`;
}

/** The given accounts in a command: by id, since a handle may have any characters. */
const nameTargets = ({ panel }: NetworkQuery, accounts: readonly Pick<NetworkNode, 'restId'>[]): string =>
  panel === null
    ? accounts
        .slice(0, MAX_NAMED)
        .map(({ restId }) => `id:${restId}`)
        .join(' ')
    : `--panel ${panel}`;
