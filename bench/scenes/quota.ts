import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { spendSharedKey } from '../../test/support/shared-key.ts';
import { spread } from '../interleave.ts';
import { findRedisServer } from '../processes.ts';
import type { Scene } from '../scene.ts';

/**
 * Invariant 8 in practice: four processes of 16 slots share a key of 300 requests per 30 s with other clients, which
 * send at most the reserve between two polls. Three windows, and a fourth without token-info.
 */
export const quotaScene: Scene = {
  name: 'quota',
  // Several processes share a queue.
  skip: () => (findRedisServer() === undefined ? 'it needs redis-server, which is not installed' : undefined),
  async measure({ dist, directory: parent, quick, log }) {
    const directory = mkdtempSync(join(parent, 'trawl-quota-'));
    try {
      const size = quick
        ? { limit: 60, windowMs: 4000, reserve: 6, processes: 2, slots: 8 }
        : { limit: 300, windowMs: 30_000, reserve: 30, processes: 4, slots: 16 };
      const bin = findCommand(dist);
      const run = await spendSharedKey({ directory, bin, ...size, windows: 3, hasOutage: true, strangersEveryMs: 500 });
      const { ours, strangers, refused, polls, pauses, spent } = run;
      log(
        `quota: ${ours} requests of trawl, ${strangers} of other clients, ${refused} refused, ${polls} polls, ${spent} spent`,
      );
      return {
        figures: { 'quota-refused': spread([refused]), 'quota-spent': spread([spent]) },
        notes: {
          'quota: requests of trawl': spread([ours]),
          'quota: requests of other clients': spread([strangers]),
          'quota: polls of token-info': spread([polls]),
          'quota: logged pauses of all workers': spread([pauses]),
        },
      };
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

/** The command of the checkout that a build is in. */
const findCommand = (folder: string): string => {
  const file = join(folder, 'bin/trawl.js');
  return existsSync(file) ? file : findCommand(dirname(folder));
};
