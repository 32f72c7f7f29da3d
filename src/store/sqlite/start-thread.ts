import { type ResourceLimits, Worker } from 'node:worker_threads';
import type { OpenFiles } from './file-watch.ts';

/** Starts a thread of a store. Threads always run the built files. */
export const startThread = (
  name: 'writer/writer-thread' | 'sqlite/wal-checkpoint-thread',
  files: OpenFiles,
  resourceLimits: ResourceLimits,
): Worker =>
  new Worker(new URL(`../../../dist/store/${name}.js`, import.meta.url), { workerData: files, resourceLimits });
