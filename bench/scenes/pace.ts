import type { RunResult } from '../child.ts';
import { interleave, perRound, type Rounds, type Spread } from '../interleave.ts';
import {
  cpuPerPage,
  drain,
  type Load,
  naive,
  notesOf,
  pagesPerSecond,
  roundsOf,
  type Scene,
  createResultLogger,
  trawl,
  withLoad,
} from '../scene.ts';

/** Throughput of trawl compared with the network alone. */

const compareThroughput = (rounds: Rounds<RunResult>, variant: string, bound: string): Spread =>
  perRound(rounds, (round) => pagesPerSecond(round[variant]!) / pagesPerSecond(round[bound]!));

/** Compared with fetching only: the loss while waiting for the service. */
const createLatencyScene = (name: string, load: Load): Scene => ({
  name,
  measure: (setting) =>
    withLoad(load, setting, async (size) => {
      const variants = { drain: drain(size, false, false), trawl: trawl(setting, size) };
      const rounds = await interleave(variants, roundsOf(setting), createResultLogger(name, setting));
      return { figures: { [name]: compareThroughput(rounds, 'trawl', 'drain') }, notes: notesOf(name, rounds) };
    }),
});

/** Compared with fetching and parsing from a service without latency: the work itself. */
const createFullSpeedScene = (
  name: string,
  load: Load,
  withNaive: boolean,
  more: (rounds: Rounds<RunResult>) => Record<string, Spread>,
): Scene => ({
  name,
  measure: (setting) =>
    withLoad(load, setting, async (size) => {
      const variants = {
        drain: drain(size, false, true),
        parse: drain(size, true, true),
        ...(withNaive ? { naive: naive(setting, size) } : {}),
        trawl: trawl(setting, size),
      };
      const rounds = await interleave(variants, roundsOf(setting), createResultLogger(name, setting));
      const cpu = perRound(rounds, (round) => cpuPerPage(round['trawl']!) / cpuPerPage(round['parse']!));
      return {
        figures: { [name]: compareThroughput(rounds, 'trawl', 'parse'), ...more(rounds) },
        notes: { ...notesOf(name, rounds), [`${name}: CPU per page over drain + parse`]: cpu },
      };
    }),
});

const ofTrawl = (rounds: Rounds<RunResult>, name: string): Spread =>
  perRound(rounds, ({ trawl: ours }) => ours!.more![name]!);

const FULL_SPEED = { concurrency: 32, latencyMs: 0, pages: [64, 16] } as const;
const PAIRS = 10;

/** The CPU of a page in all threads of this build over that of another one, in pairs of runs that take turns. */
const pageCpuScene: Scene = {
  name: 'page-cpu',
  skip: ({ against }) =>
    against === undefined ? 'it compares two builds; name the other one with --against' : undefined,
  measure: (setting) =>
    withLoad(FULL_SPEED, setting, async (size) => {
      const variants = {
        parse: drain(size, true, true),
        old: trawl({ ...setting, dist: setting.against! }, size),
        new: trawl(setting, size),
      };
      const pairs = setting.rounds ?? (setting.quick ? 1 : PAIRS);
      const rounds = await interleave(variants, pairs, createResultLogger('page-cpu', setting));
      const ratio = (of: 'old' | 'new', over: 'old' | 'parse'): Spread =>
        perRound(rounds, (round) => cpuPerPage(round[of]!) / cpuPerPage(round[over]!));
      return {
        figures: { 'page-cpu': ratio('new', 'old') },
        notes: {
          ...notesOf('page-cpu', rounds),
          'page-cpu, old: CPU per page over drain + parse': ratio('old', 'parse'),
          'page-cpu, new: CPU per page over drain + parse': ratio('new', 'parse'),
        },
      };
    }),
};

export const paceScenes: readonly Scene[] = [
  createFullSpeedScene('pace-32-0ms', FULL_SPEED, true, (rounds) => ({
    'pace-32-0ms-naive': compareThroughput(rounds, 'trawl', 'naive'),
    'lag-32-0ms': ofTrawl(rounds, 'lagP99Ms'),
    'worker-memory': ofTrawl(rounds, 'peakRssMb'),
  })),
  createFullSpeedScene('pace-1-0ms', { concurrency: 1, latencyMs: 0, pages: [512, 32] }, false, () => ({})),
  createLatencyScene('pace-32-100ms', { concurrency: 32, latencyMs: 100, pages: [64, 16] }),
  createLatencyScene('pace-32-20ms', { concurrency: 32, latencyMs: 20, pages: [64, 16] }),
  createLatencyScene('pace-1-100ms', { concurrency: 1, latencyMs: 100, pages: [64, 16] }),
  createLatencyScene('pace-1-20ms', { concurrency: 1, latencyMs: 20, pages: [256, 48] }),
  pageCpuScene,
];
