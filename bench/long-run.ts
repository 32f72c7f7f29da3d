import { readdirSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { openConnection } from '#store/sqlite/driver.ts';
import { readArguments, report } from './child.ts';
import { openWork } from './open-work.ts';
import { collectGarbage, type Mappings, readMappings, readThreads, type ThreadMemory } from './thread-memory.ts';
import { targetAt } from './workload.ts';

/** A worker that always has crawls to run, and reports its memory, descriptors and WAL for each line on stdin. */

export interface LongRunArguments {
  readonly dist: string;
  readonly url: string;
  readonly db: string;
}

export interface LongRunSample {
  readonly rssMb: number;
  readonly descriptors: number;
  readonly walMb: number;
  readonly threads: readonly ThreadMemory[];
  /** If the line asks for details, which stop the main thread for some milliseconds. */
  readonly details?: { readonly mappings: Mappings; readonly mainRetainedMb: number };
}

export interface LongRunQuestion {
  readonly details: boolean;
}

const CONCURRENCY = 32;
const QUEUED = 64;
const POLL_MS = 250;

const { dist, url, db: file } = readArguments<LongRunArguments>();
const { work, enqueue } = await openWork({ dist, url, db: file });
const db = openConnection(file, { readonly: true });
const unfinished = db.prepare<[], number>('select count(*) from crawls where finished_at is null').pluck();
let started = 0;
let isEnded = false;

try {
  await using workers = work.startWorkers(CONCURRENCY);
  report({});
  await Promise.race([workers.stopped, keepQueued(), answerQuestions()]);
  isEnded = true;
} finally {
  db.close();
  await work[Symbol.asyncDispose]();
}

async function keepQueued(): Promise<void> {
  for (; !isEnded; await delay(POLL_MS)) {
    const missing = QUEUED - unfinished.get()!;
    await enqueue(Array.from({ length: Math.max(0, missing) }, () => targetAt(started++)));
  }
}

async function answerQuestions(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const { details } = JSON.parse(line) as LongRunQuestion;
    const sample: LongRunSample = {
      rssMb: process.memoryUsage.rss() / 2 ** 20,
      descriptors: readdirSync('/proc/self/fd').length,
      walMb: (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) / 2 ** 20,
      threads: readThreads(),
      ...(details ? { details: { mappings: readMappings(), mainRetainedMb: collectGarbage() } } : {}),
    };
    report(sample);
  }
}
