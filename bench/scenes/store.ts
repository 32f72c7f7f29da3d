import type { RunResult } from '../child.ts';
import { spread, type Spread } from '../interleave.ts';
import { roundsOf, type Scene, createResultLogger, trawlRuns, withLoad } from '../scene.ts';
import { growthScene } from './growth.ts';

/** The cost of storing the same pages again, and in a large store. */

const FLAT_OUT = { concurrency: 32, latencyMs: 0, pages: [64, 8] } as const;

/** The share of users that differ in the third crawl; 87 % of its pages differ. */
const CHANGED_SHARE = 0.02;

/** The same lists three times: first, unchanged, and with other values of some users. */
const recrawl: Scene = {
  name: 'recrawl',
  measure: (setting) =>
    withLoad({ ...FLAT_OUT, changedShare: CHANGED_SHARE }, setting, async (size) => {
      const rounds: Record<'first' | 'same' | 'changed', RunResult>[] = [];
      const logResult = createResultLogger('recrawl', setting);
      for (let round = 0; round < roundsOf(setting); round++) {
        const [first, same, changed] = await trawlRuns(setting, size, { versions: [0, 0, 1] });
        const results = { first: first!, same: same!, changed: changed! };
        for (const [name, result] of Object.entries(results)) logResult(name, round, result);
        rounds.push(results);
      }
      const overFirst = (name: 'same' | 'changed', measure: 'wallMs' | 'cpuMs'): Spread =>
        spread(rounds.map((round) => round[name][measure] / round.first[measure]));
      return {
        figures: { recrawl: overFirst('same', 'wallMs'), 'recrawl-changed': overFirst('changed', 'wallMs') },
        notes: {
          'recrawl, unchanged: CPU over the first crawl': overFirst('same', 'cpuMs'),
          'recrawl, 2 % of the users changed: CPU over the first crawl': overFirst('changed', 'cpuMs'),
        },
      };
    }),
};

export const storeScenes: readonly Scene[] = [recrawl, growthScene];
