import { useEffect, useState } from 'preact/hooks';
import type { LayoutStep } from './layout/layout-messages.ts';
import { runLayout } from './layout/run-layout.ts';
import { type Communities, nameCommunities, type NetworkModel } from './network-model.ts';

/** The communities and positions of a network, as far as they are computed. */
export interface NetworkLayout {
  readonly communities: Communities;
  /** Undefined before the first positions. */
  readonly places: Pick<LayoutStep, 'at' | 'radii'> | undefined;
  /** The share of the steps that are done. */
  readonly share: number;
}

/** Lays a network out in a worker. With reduced motion, only the final positions are returned. */
export function useLayout(model: NetworkModel): NetworkLayout | 'failed' | undefined {
  const [layout, setLayout] = useState<{ model: NetworkModel; state: NetworkLayout | 'failed' }>();
  useEffect(() => {
    const isMotionReduced = matchMedia('(prefers-reduced-motion: reduce)').matches;
    return runLayout(
      model.order,
      (update) =>
        setLayout((before) => {
          if (update.kind === 'communities') {
            const communities = nameCommunities(model, update.ranks);
            return { model, state: { communities, places: undefined, share: 0 } };
          }
          if (before?.model !== model || before.state === 'failed') return before;
          const isPlaced = !isMotionReduced || update.share === 1;
          return { model, state: { ...before.state, share: update.share, places: isPlaced ? update : undefined } };
        }),
      () => setLayout({ model, state: 'failed' }),
    );
  }, [model]);
  return layout?.model === model ? layout.state : undefined;
}
