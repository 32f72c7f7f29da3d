import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '#base/clock.ts';
import { describeError } from '#base/errors.ts';
import { prune } from '#store/retention/prune.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { type OpenFiles, requireInPlace } from '#store/sqlite/file-watch.ts';
import { listDueRequests } from './retention-requests.ts';
import type { RetentionEvent } from './start-retention.ts';

/** The thread that applies the retentions of jobs that are due, and ends. A message interrupts it between two batches. */

const files = workerData as OpenFiles;
const stop = new AbortController();
const { now } = systemClock;
parentPort!.once('message', () => stop.abort());
parentPort!.unref();

const report = (event: RetentionEvent): void => parentPort!.postMessage(event);

requireInPlace(files);
using db = openDatabase(files.path);
for (const request of listDueRequests(db, now())) {
  const { jobName, scope } = request;
  try {
    const counts = await prune(db, request, { signal: stop.signal, now, pauseMs: 20 });
    report({ is: 'applied', jobName, scope, ...counts });
  } catch (error) {
    if (stop.signal.aborted) break;
    report({ is: 'failed', jobName, scope, message: describeError(error) });
  }
}
