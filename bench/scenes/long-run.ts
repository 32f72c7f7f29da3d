import { setTimeout as delay } from 'node:timers/promises';
import { measureServer } from '../child.ts';
import { spread, type Spread } from '../interleave.ts';
import type { LongRunArguments, LongRunQuestion, LongRunSample } from '../long-run.ts';
import { startServer, startService } from '../processes.ts';
import { formatNumber, type Scene, withDatabase } from '../scene.ts';
import type { ThreadMemory } from '../thread-memory.ts';

/** A worker at full pace for ten minutes: whether its memory, descriptors and WAL grow, and what its memory consists of. */

const LISTS = { targets: 0, pagesPerTarget: 100, perPage: 100, seed: 1, latencyMs: 0, warmPages: 0 };
/** Seconds that are not counted, and seconds that are. */
const FULL = { warmUp: 60, run: 600 };
const QUICK = { warmUp: 15, run: 45 };
const LOG_EVERY = 60;

/** The values of a sample by name, with their units. */
type Values = Readonly<Record<string, number>>;

export const longRunScene: Scene = {
  name: 'long-run',
  onlyByName: true,
  measure: (setting) =>
    withDatabase(setting, async (db) => {
      const { dist, quick, log } = setting;
      const seconds = quick ? QUICK : FULL;
      await using server = await startServer({ ...LISTS, endless: true });
      await using worker = await startService(
        'long-run.ts',
        { dist, db, url: server.url } satisfies LongRunArguments,
        'thread-memory.ts',
      );
      const ask = (details = false): Promise<LongRunSample> =>
        worker.request<LongRunSample>({ details } satisfies LongRunQuestion);
      await delay(seconds.warmUp * 1000);
      const samples: Values[] = [];
      const usage = await measureServer(server.url, async () => {
        for (let second = 0; second < seconds.run; second++) {
          samples.push(valuesOf(await ask()));
          if (second % LOG_EVERY === 0) log(`long-run, second ${second}: ${format(samples.at(-1)!)}`);
          await delay(1000);
        }
      });
      const parts = partsOf(await ask(true));
      for (const [part, mb] of Object.entries(parts)) log(`long-run: ${formatNumber(mb).padStart(7)} MB ${part}`);
      const columns = Object.keys(samples[0]!).map(
        (name) => [name, samples.map((sample) => sample[name] ?? 0)] as const,
      );
      const maxima = Object.fromEntries(columns.map(([name, values]) => [name, Math.max(...values)]));
      const slopes = Object.fromEntries(columns.map(([name, values]) => [name, slopePerMinute(values)]));
      return {
        figures: {
          'long-run-memory': spread([maxima['RSS, MB']!]),
          'long-run-memory-slope': spread([slopes['RSS, MB']!]),
          'long-run-descriptors-slope': spread([slopes['descriptors']!]),
          'long-run-wal': spread([maxima['WAL, MB']!]),
        },
        ...(quick ? { indicative: ['long-run-memory-slope', 'long-run-descriptors-slope'] } : {}),
        notes: {
          'long-run: pages/s': spread([(usage.pages / usage.wallMs) * 1000]),
          'long-run: load server busy': spread([usage.serverShare]),
          ...notesOf('highest', maxima),
          ...notesOf('growth per minute', slopes),
          ...notesOf('MB at the end', parts),
        },
      };
    }),
};

const notesOf = (measure: string, values: Values): Record<string, Spread> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`long-run, ${name}: ${measure}`, spread([value])]));

const format = (values: Values): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${formatNumber(value)}`)
    .join(' · ');

function valuesOf({ rssMb, descriptors, walMb, threads }: LongRunSample): Values {
  const heaps = threads.map(({ thread, young, old, code }) => [`heap of ${thread}, MB`, young + old + code]);
  const arrayBuffers = threads.reduce((sum, thread) => sum + thread.arrayBuffers, 0);
  return {
    'RSS, MB': rssMb,
    descriptors,
    'WAL, MB': walMb,
    'array buffers, MB': arrayBuffers,
    ...(Object.fromEntries(heaps) as Values),
  };
}

const PART_NAMES: Readonly<Record<Exclude<keyof ThreadMemory, 'thread'>, string>> = {
  young: 'heap, young generation',
  old: 'heap, old generation',
  code: 'heap, machine code',
  arrayBuffers: 'array buffers',
  compiler: 'compiler and parser',
};

/**
 * The resident memory by part. What is in no heap, no array buffer and no mapped file is malloc's: SQLite, zlib, Node's
 * own objects and free memory of the allocator.
 */
function partsOf({ threads, details }: LongRunSample): Values {
  const ofThreads = threads.flatMap((memory) =>
    Object.entries(PART_NAMES).map(([part, name]) => [
      `${memory.thread}: ${name}`,
      memory[part as keyof typeof PART_NAMES],
    ]),
  ) as [string, number][];
  const { program, database, mainMalloc, threadMalloc, other } = details!.mappings;
  const rest = ofThreads.reduce((left, [, mb]) => left - mb, mainMalloc + threadMalloc + other);
  return {
    'programs and libraries (mapped)': program,
    'database files (mapped)': database,
    ...Object.fromEntries(ofThreads),
    'the rest: SQLite, zlib, Node, stacks, allocator': rest,
    '(overlapping) main: heap in use after a full garbage collection': details!.mainRetainedMb,
    '(overlapping) malloc of the main thread, below 128 KB each': mainMalloc,
    '(overlapping) malloc of other threads': threadMalloc,
  };
}

/** The slope of the least-squares line of values that are a second apart. */
function slopePerMinute(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const middle = (values.length - 1) / 2;
  const covariance = values.reduce((sum, value, second) => sum + (second - middle) * (value - mean), 0);
  const variance = values.reduce((sum, _, second) => sum + (second - middle) ** 2, 0);
  return (covariance / variance) * 60;
}
