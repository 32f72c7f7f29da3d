import { load } from '../built-trawl.ts';
import type { GrowthArguments, GrowthResult, Mark } from '../growth.ts';
import { interleave, perRound, spread, type Spread } from '../interleave.ts';
import { run } from '../processes.ts';
import { roundsOf, type Scene, short, teller, trawl, trawlRuns, withDatabase, withLoad } from '../scene.ts';
import type { ShareArguments, ShareResult } from '../share.ts';
import type { StatementsArguments, StatementsResult } from '../statements.ts';

/** The cost of storing: bytes and time, also for a large store. */

const FLAT_OUT = { chains: 32, latencyMs: 0, pages: [64, 16] } as const;

const wal: Scene = {
  name: 'wal',
  measure: (setting) =>
    withLoad({ ...FLAT_OUT, cold: true }, setting, async (size) => {
      const variants = {
        'raw apart': trawl(setting, size, { holdWal: true, keepRaw: false }),
        'with raw': trawl(setting, size, { holdWal: true }),
      };
      const rounds = await interleave(variants, Math.min(roundsOf(setting), 3), teller('wal', setting));
      const perUser = (variant: string): Spread =>
        perRound(rounds, (round) => round[variant]!.more!['walBytes']! / size.edges);
      return {
        figures: { 'wal-per-user': perUser('raw apart') },
        notes: { 'bytes to the WAL per user, with raw pages': perUser('with raw') },
      };
    }),
};

const recrawl: Scene = {
  name: 'recrawl',
  measure: (setting) =>
    withLoad(FLAT_OUT, setting, async (size) => {
      const rounds = [];
      for (let round = 0; round < roundsOf(setting); round++) {
        const [first, again] = await trawlRuns(setting, size, { again: true });
        rounds.push({ first: first!, again: again! });
        teller('recrawl', setting)('first', round, first!);
        teller('recrawl', setting)('again', round, again!);
      }
      return {
        figures: { recrawl: spread(rounds.map(({ first, again }) => again.wallMs / first.wallMs)) },
        notes: {
          'recrawl: CPU over the first crawl': spread(rounds.map(({ first, again }) => again.cpuMs / first.cpuMs)),
        },
      };
    }),
};

/** A quick run is too small for a verdict. */
const GROWN = { full: 5_000_000, quick: 128_000 };

const growth: Scene = {
  name: 'growth',
  measure: async (setting) => {
    const { dist, quick, tell } = setting;
    // One run: it is long, and its marks are compared with each other.
    const { marks, users, followingMs } = await withDatabase(setting, (db) => {
      const args: GrowthArguments = { dist, db, edges: GROWN[quick ? 'quick' : 'full'], marks: 10 };
      return run<GrowthResult>('growth.ts', args);
    });
    for (const mark of marks)
      tell(
        `growth: ${Object.entries(mark)
          .map(([name, value]) => `${name} ${short(value)}`)
          .join(' · ')}`,
      );
    const early = marks[1]!;
    const last = marks.at(-1)!;
    const figures = {
      'growth-edge': once(last.cpuUsPerEdge / early.cpuUsPerEdge),
      'growth-memory': once(last.peakRssMb),
      'growth-flat': once(last.peakRssMb / early.peakRssMb),
    };
    return {
      figures,
      ...(quick ? { indicative: Object.keys(figures) } : {}),
      notes: {
        ...Object.fromEntries(marks.flatMap(notesOfMark)),
        'growth: users at the end': once(users),
        'growth: ms to answer a page of whom somebody follows': once(followingMs),
      },
    };
  },
};

const once = (value: number): Spread => spread([value]);

const notesOfMark = ({ edges, cpuUsPerEdge, systemUsPerEdge, peakRssMb, fileMb }: Mark): [string, Spread][] => [
  [`growth at ${edges} edges: us CPU per edge`, once(cpuUsPerEdge)],
  [`growth at ${edges} edges: us of it in the system`, once(systemUsPerEdge)],
  [`growth at ${edges} edges: peak MB`, once(peakRssMb)],
  [`growth at ${edges} edges: MB of file`, once(fileMb)],
];

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
      setting.tell(`statements ${round + 1}: store ${short(storeMs)} ms CPU, by hand ${short(replayMs)}`);
      ratios.push(storeMs / replayMs);
    }
    return { figures: { statements: spread(ratios) }, notes: {} };
  },
};

const SHARING = 4;

const share: Scene = {
  name: 'share',
  measure: async (setting) => {
    const least: number[] = [];
    const longest: number[] = [];
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
          Array.from({ length: SHARING }, (_, n) => run<ShareResult>('share.ts', argumentsOf(n + 1))),
        );
      });
      const all = results.reduce((sum, { commits }) => sum + commits, 0);
      const shares = results.map(({ commits }) => commits / all);
      setting.tell(`share ${round + 1}: of ${all} commits ${shares.map((part) => short(part)).join(', ')}`);
      least.push(Math.min(...shares));
      longest.push(Math.max(...results.map(({ longestMs }) => longestMs)));
    }
    return {
      figures: { share: spread(least) },
      notes: { 'share: the longest that one of them waited for a commit, ms': spread(longest) },
    };
  },
};

export const storeScenes: readonly Scene[] = [wal, recrawl, growth, statements, share];
