import { Socket } from 'node:net';
import { workerData } from 'node:worker_threads';
import { GUARD_FD, type GuardData } from './query-guard.ts';

/** The guard thread of a query process. See `query-guard.ts`. */

/** A statement allocates up to some hundred MB in this time. */
const INTERVAL_MS = 20;

const { memoryBytes } = workerData as GuardData;

// Nothing else stops a running statement.
const endProcess = (): void => void process.kill(process.pid, 'SIGKILL');

// The system closes the other end with the parent.
const parent = new Socket({ fd: GUARD_FD });
parent.on('error', endProcess).on('close', endProcess).resume();

if (memoryBytes !== undefined) {
  setInterval(() => {
    if (process.memoryUsage.rss() > memoryBytes) parent.write('memory', endProcess);
  }, INTERVAL_MS);
}
