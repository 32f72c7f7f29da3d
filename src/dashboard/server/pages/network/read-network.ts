import { prepareListEvidence } from '../../../../analysis/queries/list-evidence.ts';
import type { Db } from '../../../../store/sqlite/database.ts';
import type { NetworkAbsence, NetworkData, NetworkNode } from '../../api/network.ts';
import type { ReadContext, ReadRequest } from '../../reader/read.ts';
import { toShortLine } from '../../reader/short-line.ts';
import { findGivenAccounts, type NetworkQuery, parseNetworkQuery } from './network-query.ts';
import { readFollowsAmong, selectNodes } from './select-network.ts';

/** More accounts than a command should name. */
const MAX_NAMED = 5;

/** Reads the network around or among given accounts. @throws UsageError if none is given */
export function readNetwork({ db, now }: ReadContext, request: ReadRequest): NetworkData {
  const query = parseNetworkQuery(request);
  const given = findGivenAccounts(db, query);
  const rows = selectNodes(db, given.ids, query.hasNeighbours);
  const ids = rows.map(({ id }) => id);
  const readLists = prepareLists(db);
  const nodes = rows.map(({ restId, handle, name, followers, isGiven }) => ({
    restId,
    label: handle === null ? `id:${restId}` : `@${toShortLine(handle)}`,
    name: name === null ? null : toShortLine(name),
    followers,
    isGiven: isGiven === 1,
    lists: readLists(restId),
  }));
  const unknown = given.unknown.map(toShortLine);
  const positions = new Map(ids.map((id, position) => [id, position]));
  const follows = ids.map((): number[] => []);
  for (const [follower, followed] of readFollowsAmong(db, ids))
    follows[positions.get(follower)!]!.push(positions.get(followed)!);
  const command = describeNextCrawl(query, nodes);
  const absence = follows.flat().length > 0 ? null : describeAbsence(nodes, unknown, command);
  return { at: now, unknown, total: rows[0]?.total ?? 0, nodes, follows, absence, command };
}

/** Prepares reading which lists of an account were collected, such as `['following in part']`. */
function prepareLists(db: Db): (restId: string) => string[] {
  const sides = (['followers', 'following'] as const).map((side) => ({ side, of: prepareListEvidence(db, side).of }));
  return (restId) =>
    sides.flatMap(({ side, of }) => {
      const { complete, isCollected } = of(restId);
      return complete > 0 ? [side] : isCollected ? [`${side} in part`] : [];
    });
}

const hasFollowing = ({ lists }: NetworkNode): boolean => lists.some((list) => list.startsWith('following'));

/** Returns the command that collects more follows among the nodes, without `trawl`; null if the list of each one is collected. */
function describeNextCrawl({ panel, hasNeighbours }: NetworkQuery, nodes: readonly NetworkNode[]): string | null {
  if (nodes.every(hasFollowing)) return null;
  const given = nodes.filter(({ isGiven }) => isGiven);
  // By id, since a handle may have any characters.
  const named = given.slice(0, MAX_NAMED).map(({ restId }) => `id:${restId}`);
  const targets = panel === null ? named.join(' ') : `--panel ${panel}`;
  if (!hasNeighbours || nodes.length === given.length) return `crawl following ${targets}`;
  // The snowball follows the list that shows the neighbours.
  return `crawl ${given.some(hasFollowing) ? 'following' : 'followers'} ${targets} --then following`;
}

/** Returns why there is no network, and what to do. */
function describeAbsence(
  nodes: readonly NetworkNode[],
  unknown: readonly string[],
  command: string | null,
): NetworkAbsence {
  if (nodes.some(({ lists }) => lists.length > 0))
    return { title: 'No follows', cause: 'The collected lists show no follow among these accounts.', command };
  if (nodes.length > 0)
    return {
      title: 'Not collected',
      cause: 'No list of these accounts was collected.',
      command,
    };
  const names = unknown.filter((name) => /^(@?\w{1,50}|id:[\w-]{1,64})$/.test(name)).slice(0, MAX_NAMED);
  return {
    title: 'Not available',
    cause: 'None of the accounts is stored and shown by the service.',
    command: names.length === 0 ? null : `crawl following ${names.join(' ')}`,
  };
}
