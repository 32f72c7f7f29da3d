import type { Scene } from './scene.ts';
import { longRunScene } from './scenes/long-run.ts';
import { mergeScene } from './scenes/merge.ts';
import { paceScenes } from './scenes/pace.ts';
import { peersScene } from './scenes/peers.ts';
import { queueScene } from './scenes/queue.ts';
import { quotaScene } from './scenes/quota.ts';
import { scheduleScene } from './scenes/schedule.ts';
import { storeScenes } from './scenes/store.ts';
import { twinScene } from './scenes/twin.ts';

export const scenes: readonly Scene[] = [
  ...paceScenes,
  ...storeScenes,
  queueScene,
  quotaScene,
  scheduleScene,
  twinScene,
  peersScene,
  longRunScene,
  mergeScene,
];
