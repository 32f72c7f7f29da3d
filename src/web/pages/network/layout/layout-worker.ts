import { computePositions } from './compute-positions.ts';
import { detectCommunities } from './detect-communities.ts';
import type { LayoutOrder, LayoutUpdate } from './layout-messages.ts';

/** The worker of a network: answers one order. It is a file of its own, since the content policy refuses others. */

const send = (update: LayoutUpdate): void => postMessage(update);

addEventListener('message', ({ data: order }: MessageEvent<LayoutOrder>) => {
  const ranks = detectCommunities(order);
  send({ kind: 'communities', ranks });
  for (const step of computePositions(order, ranks)) send({ kind: 'positions', ...step });
});
