import type { ReadTable } from '../../reader/read.ts';
import { writeNetworkEdges, writeNetworkGexf } from './network-files.ts';
import { readNetwork } from './read-network.ts';
import { suggestNetworks } from './suggest-networks.ts';

/** The reads of the page Network. */
export const NETWORK_READS: ReadTable = {
  '/api/network': readNetwork,
  '/api/network/suggestions': suggestNetworks,
  '/api/network/network.gexf': writeNetworkGexf,
  '/api/network/edges.csv': writeNetworkEdges,
};
