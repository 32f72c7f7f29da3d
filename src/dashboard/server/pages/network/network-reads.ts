import { readPanels } from '../../../../store/panels/panels.ts';
import type { ReadTable } from '../../reader/read.ts';
import { readNetwork } from './read-network.ts';
import { writeNetworkGexf } from './write-network-gexf.ts';

/** The reads of the page Network. */
export const NETWORK_READS: ReadTable = {
  '/api/network': readNetwork,
  '/api/network/panels': ({ db }) => readPanels(db).map(({ name, members }) => ({ name, members })),
  '/api/network/network.gexf': writeNetworkGexf,
};
