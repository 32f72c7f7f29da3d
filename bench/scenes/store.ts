import { load } from '../built-trawl.ts';
import type { RunResult } from '../child.ts';
import { interleave, perRound, spread, type Spread } from '../interleave.ts';
import { run } from '../processes.ts';
import {
  roundsOf,
  type Scene,
  formatNumber,
  createResultLogger,
  trawl,
  trawlRuns,
  withDatabase,
  withLoad,
} from '../scene.ts';
import type { ShareArguments, ShareResult } from '../share.ts';
import type { StatementsArguments, StatementsResult } from '../statements.ts';
import { growthScene } from './growth.ts';

/** The cost of storing: bytes and time, also for a large store. */

const FLAT_OUT = { concurrency: 32, latencyMs: 0, pages: [64, 8] } as const;

const wal: Scene = {
  name: 'wal',
  measure: (setting) =>
    withLoad({ ...FLAT_OUT, cold: true }, setting, async (size) => {
      const variants = {
        'raw apart': trawl(setting, size, { holdWal: true, keepRaw: false }),
        'with raw': trawl(setting, size, { holdWal: true }),
      };
      const rounds = await interleave(variants, Math.min(roundsOf(setting), 3), createResultLogger('wal', setting));
      const perUser = (variant: string): Spread =>
        perRound(rounds, (round) => round[variant]!.more!['walBytes']! / size.edges);
      return {
        figures: { 'wal-per-user': perUser('raw apart') },
        notes: { 'bytes to the WAL per user, with raw pages': perUser('with raw') },
      };
    }),
};

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

const statements: Scene = {
  name: 'statements',
  measure: async (setting) => {
    const ratios: number[] = [];
    for (let round = 0; round < roundsOf(setting); round++) {
      const result = await withDatabase(setting, (one) =>
        withDatabase(setting, (two) =>
          withDatabase(setting, (three) => {
            const args: StatementsArguments = {
              ...{ dist: setting.dist, databases: [one, two, three], pages: setting.quick ? 160 : 480 },
              replayFirst: round % 2 === 1,
            };
            return run<StatementsResult>('statements.ts', args);
          }),
        ),
      );
      const { storeMs, replayMs } = result;
      setting.log(`statements ${round + 1}: store ${formatNumber(storeMs)} ms CPU, by hand ${formatNumber(replayMs)}`);
      ratios.push(storeMs / replayMs);
    }
    return { figures: { statements: spread(ratios) }, notes: {} };
  },
};

const PROCESSES = 4;

const share: Scene = {
  name: 'share',
  measure: async (setting) => {
    const minimumShares: number[] = [];
    const longestWaits: number[] = [];
    for (let round = 0; round < Math.min(roundsOf(setting), 3); round++) {
      const results = await withDatabase(setting, async (db) => {
        // The store has to exist before the processes start.
        const { openStore } = await load(setting.dist, 'store/store.js');
        await openStore(db)[Symbol.asyncDispose]();
        const from = Date.now() + 3000;
        const until = from + (setting.quick ? 2500 : 10_000);
        const argumentsOf = (n: number): ShareArguments => ({
          dist: setting.dist,
          db,
          seed: round * 10 + n,
          from,
          until,
        });
        return await Promise.all(
          Array.from({ length: PROCESSES }, (_, n) => run<ShareResult>('share.ts', argumentsOf(n + 1))),
        );
      });
      const all = results.reduce((sum, { commits }) => sum + commits, 0);
      if (all === 0) throw new Error('the processes started after the end of the measurement');
      const shares = results.map(({ commits }) => commits / all);
      setting.log(`share ${round + 1}: of ${all} commits ${shares.map((part) => formatNumber(part)).join(', ')}`);
      minimumShares.push(Math.min(...shares));
      longestWaits.push(Math.max(...results.map(({ longestMs }) => longestMs)));
    }
    return {
      figures: { share: spread(minimumShares) },
      notes: { 'share: longest wait for a commit, ms': spread(longestWaits) },
    };
  },
};

export const storeScenes: readonly Scene[] = [wal, recrawl, growthScene, statements, share];
