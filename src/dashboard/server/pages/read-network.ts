import { prepareListEvidence } from '#analysis/queries/list-evidence.ts';
import { UsageError } from '#base/errors.ts';
import { pluralize } from '#base/text.ts';
import { toIso } from '#base/units.ts';
import type { NetworkAbsence, NetworkData, NetworkNode } from '#dashboard/server/api/network.ts';
import { type ReadContext, type ReadRequest, ReadFile } from '#dashboard/server/reader/read.ts';
import { toShortLine } from '#dashboard/server/reader/short-line.ts';
import { NETWORKS, type GraphEdge } from '#files/export/graph/networks.ts';
import { readNodes, scanEdges } from '#files/export/graph/read-graph.ts';
import { nodeAttributes } from '#files/export/graph/sql/node-attributes.ts';
import { formatGexf, GEXF_MEDIA_TYPE } from '#files/export/graph/write-graph.ts';
import { SELECTION_SETS } from '#files/export/row-selection.ts';
import { readPanelMembers } from '#store/panels/panels.ts';
import type { Db } from '#store/sqlite/database.ts';
import { findRestId } from './account-lines.ts';

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

/** Writes the network of a page as GEXF, as `trawl export graph` writes it. */
export function writeNetworkGexf({ db, now }: ReadContext, request: ReadRequest): ReadFile {
  const query = parseNetworkQuery(request);
  const rows = selectNodes(db, findGivenAccounts(db, query).ids, query.hasNeighbours);
  const ids = rows.map(({ id }) => id);
  const edges = readFollowsAmong(db, ids);
  const idLimit = Math.max(0, ...ids) + 1;
  const nodes = scanEdges(edges, { idLimit, given: ids });
  const attributes = nodeAttributes('follows', false);
  const sample = `The ${nodes.size} most followed of ${pluralize(rows[0]?.total ?? 0, 'account')}.`;
  const text = `${sample} ${NETWORKS.follows.meaning} As of ${toIso(now)}.`;
  const graph = {
    network: 'follows',
    nodeCount: nodes.size,
    nodeColumns: attributes,
    nodes: () => readNodes(db, nodes, { network: 'follows', attributes, otherNodes: undefined }),
    edges: () => edges,
  } as const;
  return new ReadFile('network.gexf', GEXF_MEDIA_TYPE, [...formatGexf(graph, text)].join(''));
}

/** What a network is asked for: its address. */
interface NetworkQuery {
  /** As typed: `nasa`, `@nasa` or `id:11348282`. */
  readonly accounts: readonly string[];
  readonly panel: string | null;
  /** Whether the accounts that follow given ones, or are followed by them, belong to it. */
  readonly hasNeighbours: boolean;
}

/** More accounts than an address should have. */
const MAX_ACCOUNTS = 100;

/** Reads `accounts` (separated by commas), `panel` and `depth` (0: among the given accounts). @throws UsageError if nothing is given */
function parseNetworkQuery({ query }: Pick<ReadRequest, 'query'>): NetworkQuery {
  const accounts = (query['accounts'] ?? '').split(',').flatMap((text) => text.trim() || []);
  const panel = query['panel']?.trim() || null;
  if (accounts.length === 0 && panel === null) throw new UsageError('a network needs accounts or a panel');
  if (accounts.length > MAX_ACCOUNTS)
    throw new UsageError(`more than ${MAX_ACCOUNTS} accounts`, { hint: 'Create a panel of them with `trawl panel`.' });
  return { accounts, panel, hasNeighbours: query['depth'] !== '0' };
}

/** Returns the store's numbers of the given accounts, each once, and the others as typed. @throws UsageError if there is no such panel */
function findGivenAccounts(db: Db, { accounts, panel }: NetworkQuery) {
  const find = db.$client.prepare<[string], number>('select id from users where rest_id = ?').pluck();
  const members = panel === null ? [] : readPanelMembers(db, panel);
  const named = [
    ...accounts.map((label) => ({ label, restId: findRestId(db, label) })),
    ...members.map(({ restId, handle }) => ({ label: handle === null ? `id:${restId}` : `@${handle}`, restId })),
  ];
  const found = named.map(({ label, restId }) => ({ label, id: restId === undefined ? undefined : find.get(restId) }));
  return {
    ids: [...new Set(found.flatMap(({ id }) => id ?? []))],
    unknown: found.flatMap(({ label, id }) => (id === undefined ? [label] : [])),
  };
}

/** The given accounts count as one: 1,500 accounts around one are 1,501. */
const MAX_NODES = 1501;

/** An account of a network, as it is stored. */
export interface NodeRow {
  readonly id: number;
  readonly restId: string;
  readonly handle: string | null;
  readonly name: string | null;
  readonly followers: number | null;
  readonly isGiven: 0 | 1;
  /** The number of all accounts of the network. */
  readonly total: number;
}

const NEIGHBOURS = `
  union select f.followee_id from given cross join follows f on f.follower_id = given.id where f.ended_at is null
  union select f.follower_id from given cross join follows f on f.followee_id = given.id where f.ended_at is null`;

/**
 * Selects the most followed accounts of a network, these first. Like `trawl export graph`, it leaves out follows that ended, and
 * accounts that the service no longer shows. The given accounts are chosen before others, whatever their followers.
 */
function selectNodes({ $client }: Db, given: readonly number[], hasNeighbours: boolean): NodeRow[] {
  const rows = $client
    .prepare<[string], NodeRow>(
      `with given(id) as (select value from json_each(?)),
         members(id) as (select id from given ${hasNeighbours ? NEIGHBOURS : ''})
       select u.id, u.rest_id as restId, u.screen_name as handle, u.name, u.followers_count as followers,
         u.id in (select id from given) as isGiven, count(*) over () as total
       from members cross join users u on u.id = members.id where u.id not in (${SELECTION_SETS.unavailable})
       order by isGiven desc, followers desc nulls last, u.id limit ${MAX_NODES}`,
    )
    .all(JSON.stringify(given));
  return rows.toSorted((a, b) => (b.followers ?? -1) - (a.followers ?? -1) || a.id - b.id);
}

/** Reads the follows among accounts. It walks those that each one follows, which are few: the followers of one may be millions. */
function readFollowsAmong({ $client }: Db, ids: readonly number[]): GraphEdge[] {
  const list = JSON.stringify(ids);
  // The sign keeps the index from being searched for each pair.
  return $client
    .prepare<[string, string], GraphEdge>(
      `select follower_id, followee_id, 1, first_seen_at, ended_at, last_seen_at, null
       from follows indexed by follows_follower
       where follower_id in (select value from json_each(?)) and +followee_id in (select value from json_each(?))
         and follower_id <> followee_id and ended_at is null`,
    )
    .raw()
    .all(list, list) as unknown as GraphEdge[];
}
