import { join } from 'node:path';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { PACKAGE_ROOT } from '#base/package-root.ts';
import type { OpenFiles } from './file-watch.ts';

/** Starts a thread of a store. Threads always run the built files. */
export const startThread = (
  name: 'writer-thread' | 'wal-checkpoint-thread' | 'retention-thread',
  files: OpenFiles,
  resourceLimits: ResourceLimits,
): Worker => new Worker(join(PACKAGE_ROOT, `dist/bundle/${name}.js`), { workerData: files, resourceLimits });
