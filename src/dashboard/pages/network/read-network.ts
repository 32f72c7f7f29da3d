import { UsageError } from '../../../errors.ts';
import type { NetworkData, NetworkNode } from '../../api/network.ts';
import type { ReadContext, ReadRequest } from '../../reader/read.ts';
import { toShortLine } from '../../reader/short-line.ts';
import { describeMissingNetwork, describeNextCrawl } from './describe-missing-network.ts';
import { prepareListStates } from './list-states.ts';
import { findGivenAccounts, parseNetworkQuery } from './network-query.ts';
import { readFollowsAmong } from './read-follows.ts';
import { type NodeRow, selectNodes } from './select-nodes.ts';

/** Reads the network around or among given accounts. @throws UsageError if none is given */
export function readNetwork({ db, now }: ReadContext, request: ReadRequest): NetworkData {
  const query = parseNetworkQuery(request);
  if (query.accounts.length === 0 && query.panel === null) throw new UsageError('a network needs accounts or a panel');
  const given = findGivenAccounts(db, query);
  const { rows, total } = selectNodes(db, given.ids, query);
  const follows = readFollowsAmong(
    db,
    rows.map(({ id }) => id),
  );
  const readLists = prepareListStates(db);
  const toNode = (row: NodeRow): NetworkNode => ({
    ...{ restId: row.restId, label: formatLabel(row), followers: row.followers, isGiven: row.isGiven === 1 },
    ...{ name: row.name === null ? null : toShortLine(row.name), lists: readLists(row.restId) },
  });
  const nodes = rows.map(toNode);
  const givenRows = query.hasGiven
    ? []
    : selectNodes(db, given.ids, { ...query, hasNeighbours: false, hasGiven: true }).rows;
  const givenNodes = query.hasGiven ? nodes.filter(({ isGiven }) => isGiven) : givenRows.map(toNode);
  const edges = follows.reduce((sum, list) => sum + list.length, 0);
  const found = { query, given, nodes, givenNodes };
  const named = query.panel === null ? givenNodes.map(({ restId, label }) => ({ restId, label })) : [];
  return {
    ...{ at: now, panel: query.panel, given: named, unknown: given.unknown.map(toShortLine), total, nodes, follows },
    absence: describeMissingNetwork({ ...found, edges }),
    command: describeNextCrawl(found),
  };
}

const formatLabel = ({ handle, restId }: NodeRow): string =>
  handle === null ? `id:${restId}` : `@${toShortLine(handle)}`;
