import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

/**
 * The memory of a process by thread. Loaded into every thread with `--import`, it makes the other threads report to the
 * main thread every second.
 */

/** MB by part; the parts do not overlap. */
export interface ThreadMemory {
  readonly thread: string;
  readonly young: number;
  readonly old: number;
  readonly code: number;
  /** Outside the heap: bodies, messages and typed arrays. */
  readonly arrayBuffers: number;
  /** Of V8's compiler and parser. */
  readonly compiler: number;
}

/** Parts by V8's names of spaces. */
const PARTS: Readonly<Record<string, 'young' | 'old' | 'code'>> = {
  new_space: 'young',
  new_large_object_space: 'young',
  code_space: 'code',
  code_large_object_space: 'code',
};
const MB = 2 ** 20;
const REPORT_MS = 1000;

const threadName = isMainThread ? 'main' : basename(process.argv[1] ?? 'unknown').replace(/(-thread)?\.js$/, '');
const channel = new BroadcastChannel('thread-memory');
const reports = new Map<string, ThreadMemory>();

if (isMainThread) {
  channel.onmessage = ({ data }: { data: ThreadMemory }) => void reports.set(data.thread, data);
} else {
  setInterval(() => channel.postMessage(measureThread()), REPORT_MS).unref();
}
(channel as BroadcastChannel & { unref(): void }).unref();

function measureThread(): ThreadMemory {
  const heap = { young: 0, old: 0, code: 0 };
  for (const { space_name: space, physical_space_size: bytes } of getHeapSpaceStatistics())
    heap[PARTS[space] ?? 'old'] += bytes / MB;
  return {
    thread: threadName,
    ...heap,
    arrayBuffers: process.memoryUsage().arrayBuffers / MB,
    compiler: getHeapStatistics().malloced_memory / MB,
  };
}

/** Returns the memory of every thread; of the other threads, that of their last report. */
export const readThreads = (): ThreadMemory[] => [measureThread(), ...reports.values()];

/** Returns the MB of this thread's heap that are in use after a full garbage collection. */
export function collectGarbage(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return getHeapStatistics().used_heap_size / MB;
}

/** Resident MB of a process by kind of mapping. */
export interface Mappings {
  readonly program: number;
  readonly database: number;
  /** The main thread's malloc, and that of other threads: glibc begins their arenas at multiples of 64 MB. */
  readonly mainMalloc: number;
  readonly threadMalloc: number;
  /** V8's heaps, large allocations and stacks. */
  readonly other: number;
}

const ARENA_BYTES = 2 ** 26;
const MAPPING = /^([0-9a-f]+)-[0-9a-f]+ \S+ \S+ \S+ \d+ *(.*)$/;

export function readMappings(): Mappings {
  const found = { program: 0, database: 0, mainMalloc: 0, threadMalloc: 0, other: 0 };
  let kind: keyof Mappings = 'other';
  for (const line of readFileSync('/proc/self/smaps', 'utf8').split('\n')) {
    const [, start, name] = MAPPING.exec(line) ?? [];
    if (start !== undefined) kind = kindOf(Number.parseInt(start, 16), name!);
    else if (line.startsWith('Rss:')) found[kind] += Number.parseInt(line.slice(4), 10) / 1024;
  }
  return found;
}

function kindOf(start: number, name: string): keyof Mappings {
  if (name.startsWith('/')) return /\.db(-\w+)?$/.test(name) ? 'database' : 'program';
  if (name === '[heap]') return 'mainMalloc';
  return name === '' && start % ARENA_BYTES === 0 ? 'threadMalloc' : 'other';
}
