import { useEffect, useState } from 'preact/hooks';
import type { LayoutOrder, PlacedNode } from './layout-worker.ts';
// oxlint-disable-next-line import/default -- the build makes this module
import workerUrl from './layout-worker.ts?worker&url';

/** The content policy requires a trusted address for a worker. This one is a constant. */
const policy = (
  globalThis as {
    trustedTypes?: { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } };
  }
).trustedTypes?.createPolicy('trawl-layout', { createScriptURL: (url: string) => url });

/** Computes communities and positions in a worker; undefined until they are there, and none if the worker fails. */
export function useLayout(order: LayoutOrder): readonly PlacedNode[] | undefined {
  const [layout, setLayout] = useState<{ order: LayoutOrder; nodes: readonly PlacedNode[] }>();
  useEffect(() => {
    const worker = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' });
    worker.addEventListener('message', ({ data }) => setLayout({ order, nodes: data }));
    worker.addEventListener('error', () => setLayout({ order, nodes: [] }));
    worker.postMessage(order);
    return () => worker.terminate();
  }, [order]);
  return layout?.order === order ? layout.nodes : undefined;
}
