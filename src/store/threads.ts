import { type ResourceLimits, Worker } from 'node:worker_threads';

/** Starts one of the threads of a store at `path`. They run what was built, also where their caller runs from sources. */
export const startThread = (
  name: 'writer-thread' | 'checkpoint-thread',
  path: string,
  resourceLimits: ResourceLimits,
): Worker => new Worker(new URL(`../../dist/store/${name}.js`, import.meta.url), { workerData: path, resourceLimits });
