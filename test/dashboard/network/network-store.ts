import { createStoreOf } from '../store-rows.ts';
import { createNetworkRows, type NetworkPlan } from './network-rows.ts';

/** Creates the store of a network. */
export const createNetworkStore = (plan: NetworkPlan, file?: string): string =>
  createStoreOf(createNetworkRows(plan), file);
