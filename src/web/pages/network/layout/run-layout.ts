import type { LayoutOrder, LayoutUpdate } from './layout-messages.ts';
// oxlint-disable-next-line import/default -- the build makes this module
import workerUrl from './layout-worker.ts?worker&url';

/** The content policy requires a trusted address for a worker. This one is a constant. */
const trustedTypes = (
  globalThis as {
    trustedTypes?: { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } };
  }
).trustedTypes;
const policy = trustedTypes?.createPolicy('trawl-layout', { createScriptURL: (url: string) => url });

/** Computes communities and positions in a worker. Returns the function that ends it. */
export function runLayout(
  order: LayoutOrder,
  onUpdate: (update: LayoutUpdate) => void,
  onProblem: () => void,
): () => void {
  const worker = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' });
  worker.addEventListener('message', ({ data }: MessageEvent<LayoutUpdate>) => {
    onUpdate(data);
    if (data.kind === 'positions' && data.share === 1) worker.terminate();
  });
  worker.addEventListener('error', onProblem);
  worker.postMessage(order);
  return () => worker.terminate();
}
