import { useEffect, useState } from 'preact/hooks';
import type { NetworkData } from '../../../server/api/network.ts';
import type { PlacedNode } from './layout-worker.ts';
// oxlint-disable-next-line import/default -- the build makes this module
import workerUrl from './layout-worker.ts?worker&url';
import { createLayoutOrder, nameCommunities, type NetworkScene } from './network-model.ts';

/** The content policy requires a trusted address for a worker. This one is a constant. */
const policy = (
  globalThis as {
    trustedTypes?: { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } };
  }
).trustedTypes?.createPolicy('trawl-layout', { createScriptURL: (url: string) => url });

/**
 * Computes communities and positions in a worker. Until then, the scene is that of the network before; undefined for the first
 * one. Without places if the worker fails.
 */
export function useScene(data: NetworkData, query: string): NetworkScene | undefined {
  const [scene, setScene] = useState<NetworkScene>();
  useEffect(() => {
    const order = createLayoutOrder(data);
    const show = (places: readonly PlacedNode[]): void => {
      const ranks = data.nodes.map((_, node) => places[node]?.rank ?? node);
      setScene({ query, data, order, places, communities: nameCommunities(data, order.ego, ranks) });
    };
    const worker = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' });
    worker.addEventListener('message', (event: MessageEvent<PlacedNode[]>) => show(event.data));
    worker.addEventListener('error', () => show([]));
    worker.postMessage(order);
    return () => worker.terminate();
  }, [data]);
  return scene;
}
