import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Designs take turns, a group of pages each, in one process and on one disk: what else the machine does meets them all.
 * Compare columns of one table; absolute figures of two runs do not compare.
 */

/** One design on a file of its own. */
export interface Candidate<Work> {
  /** Calls `committed` after each transaction but the last. */
  write(work: Work, committed: () => void): void | Promise<void>;
  /** What is left to do when the crawl ends. It is measured apart. */
  finish?(): void | Promise<void>;
  close(): void;
}

export interface Design<Work> {
  readonly name: string;
  open(file: string): Candidate<Work>;
  readonly pageSize?: number;
}

export interface Cost {
  /** Microseconds of this thread, of the whole process, and by the clock. */
  threadUs: number;
  processUs: number;
  wallUs: number;
  /** What was appended to the WAL. */
  walBytes: number;
  /** The longest turn, in microseconds by the clock. */
  longestUs: number;
}

/** What a design spent on each phase of the work, and at last on finishing. */
export type Run = readonly Cost[];

const SCHEDSTAT = '/proc/thread-self/schedstat';

/** CPU time of the calling thread in microseconds; of the process where the system does not say. */
export function threadCpuUs(): number {
  try {
    return Number(readFileSync(SCHEDSTAT, 'latin1').split(' ')[0]) / 1000;
  } catch {
    return processCpuUs();
  }
}

export function processCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Counts the frames of a WAL by the header of its index, so that no reader has to hold it open. */
export function walMeter(file: string, pageSize: number): { read(): number; close(): void } {
  const header = Buffer.alloc(24);
  let descriptor: number | undefined;
  let last = 0;
  let salt = 0n;
  let bytes = 0;
  return {
    read() {
      descriptor ??= openSync(`${file}-shm`, 'r');
      readSync(descriptor, header, 0, 24, 16);
      // A log that begins again has another salt.
      const begun = header.readBigUInt64LE(16) !== salt;
      const frames = header.readUInt32LE();
      bytes += (begun ? frames : frames - last) * (pageSize + 24);
      salt = header.readBigUInt64LE(16);
      last = frames;
      return bytes;
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
    },
  };
}

/** Gives every design the same work in turns, and says what each spent on every phase of it. */
export async function takeTurns<Work>(
  designs: readonly Design<Work>[],
  phases: readonly Iterable<Work>[],
): Promise<Run[]> {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-layouts-'));
  const runners = designs.map((design, i) => {
    const file = join(folder, `${i}.db`);
    const candidate = design.open(file);
    const meter = walMeter(file, design.pageSize ?? 4096);
    meter.read();
    return { candidate, meter, run: [] as Cost[] };
  });
  try {
    let turn = 0;
    for (const phase of phases) {
      for (const { run } of runners) run.unshift(nothing());
      for (const item of phase) {
        for (let i = 0; i < runners.length; i++) {
          const { run, meter, candidate } = runners[(i + turn) % runners.length]!;
          await spend(run[0]!, meter, () => candidate.write(item, () => void meter.read()));
        }
        turn++;
      }
    }
    for (const { run, meter, candidate } of runners) {
      run.reverse().push(nothing());
      await spend(run.at(-1)!, meter, () => candidate.finish?.());
    }
    return runners.map(({ run }) => run);
  } finally {
    for (const { candidate, meter } of runners) {
      meter.close();
      candidate.close();
    }
    rmSync(folder, { recursive: true });
  }
}

const nothing = (): Cost => ({ threadUs: 0, processUs: 0, wallUs: 0, walBytes: 0, longestUs: 0 });

async function spend(cost: Cost, meter: { read(): number }, task: () => void | Promise<void>): Promise<void> {
  const walBefore = meter.read();
  const wall = performance.now();
  const total = processCpuUs();
  const thread = threadCpuUs();
  await task();
  const took = (performance.now() - wall) * 1000;
  cost.threadUs += threadCpuUs() - thread;
  cost.processUs += processCpuUs() - total;
  cost.wallUs += took;
  cost.longestUs = Math.max(cost.longestUs, took);
  cost.walBytes += meter.read() - walBefore;
}

/** Repeats `takeTurns` and takes the median of every figure of every design and phase. */
export async function medians<Work>(
  designs: readonly Design<Work>[],
  phases: readonly (readonly Work[])[],
  repetitions = Number(process.argv[2] ?? 3),
): Promise<Run[]> {
  const runs: Run[][] = [];
  for (let i = 0; i < repetitions; i++) runs.push(await takeTurns(designs, phases));
  return designs.map((_, i) => runs[0]![i]!.map((_cost, phase) => medianCost(runs.map((run) => run[i]![phase]!))));
}

function medianCost(costs: readonly Cost[]): Cost {
  const of = (key: keyof Cost): number => median(costs.map((cost) => cost[key]));
  return {
    threadUs: of('threadUs'),
    processUs: of('processUs'),
    wallUs: of('wallUs'),
    walBytes: of('walBytes'),
    longestUs: of('longestUs'),
  };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** Microseconds or bytes per piece, and the multiple of the first design's. */
export function perPiece(runs: readonly Run[], phase: number, key: keyof Cost, pieces: number): [string, string][] {
  const first = runs[0]![phase]![key];
  return runs.map((run) => {
    const per = run[phase]![key] / pieces;
    return [per.toFixed(per < 100 ? 2 : 0), (run[phase]![key] / first).toFixed(2)];
  });
}

/** Groups of `size`. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

/** Prints rows as columns: text to the left, numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const cells = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, i) => Math.max(...cells.map((row) => row[i]!.length)));
  for (const row of cells) {
    const line = row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ');
    process.stdout.write(`${line}\n`);
  }
  process.stdout.write('\n');
}
