import { createStoreOf } from '../store-rows.ts';
import { createNetworkRows, type NetworkPlan } from './network-rows.ts';

/** Creates the store of a network. */
export const createNetworkStore = (plan: NetworkPlan): string => createStoreOf(createNetworkRows(plan));
