import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { PACKAGE_ROOT } from '#base/package-root.ts';

/** The file descriptor of the pipe between the guard thread of a query process and the parent. */
export const GUARD_FD = 4;

/** What the guard thread gets. */
export interface GuardData {
  readonly memoryBytes: number | undefined;
}

/**
 * Starts the thread that ends this process when its parent has ended, or when it needs more memory. A running statement
 * blocks the main thread, which then gets no events.
 */
export function startGuard(memoryBytes: number | undefined): void {
  const guard = new Worker(join(PACKAGE_ROOT, 'dist/bundle/query-guard-thread.js'), {
    workerData: { memoryBytes } satisfies GuardData,
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 8 },
  });
  guard.unref();
}
