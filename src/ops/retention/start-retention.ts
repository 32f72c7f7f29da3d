import type { Worker } from 'node:worker_threads';
import { type Clock, MINUTE } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { parseJob } from '#crawl/jobs/job.ts';
import type { PruneCounts, PruneRequest } from '#store/retention/prune-request.ts';
import type { ScheduledJob } from '#store/schema/job-messages.ts';
import type { OpenFiles } from '#store/sqlite/file-watch.ts';
import { startThread } from '#store/sqlite/start-thread.ts';

/** How often the schedule is checked for retentions that are due. */
const CHECK_MS = 60 * MINUTE;

export interface Retention extends AsyncDisposable {
  /** Resolves after the first check, with what it removed. */
  readonly applied: Promise<void>;
}

/**
 * Applies the retentions of the scheduled jobs, each once a day, now and hourly, until it is disposed of. Each check with a
 * retention runs in a thread of its own, so that reading bodies delays no crawl.
 */
export function startRetention(options: {
  readonly files: OpenFiles;
  readonly readSchedule: () => readonly ScheduledJob[];
  readonly clock: Clock;
  readonly onEvent: (event: RetentionEvent) => void;
  /** Called when a check fails; it is repeated later. */
  readonly onError: (error: unknown) => void;
}): Retention {
  const { files, readSchedule, clock, onEvent, onError } = options;
  const stop = new AbortController();

  async function check(): Promise<void> {
    if (!readSchedule().some((entry) => parseJob(entry).retentionLimits !== undefined)) return;
    const thread: Worker = startThread('retention-thread', files, { maxOldGenerationSizeMb: 512 });
    const interrupt = (): void => thread.postMessage('stop');
    stop.signal.addEventListener('abort', interrupt);
    thread.on('message', onEvent);
    thread.on('error', onError);
    await new Promise((resolve) => thread.once('exit', resolve));
    stop.signal.removeEventListener('abort', interrupt);
  }

  const tryCheck = (): Promise<void> => check().catch(onError);
  async function run(): Promise<void> {
    await applied;
    while (!stop.signal.aborted) {
      await clock.sleep(CHECK_MS, stop.signal).catch(() => undefined);
      if (!stop.signal.aborted) await tryCheck();
    }
  }
  const applied = tryCheck();
  const done = run();
  return {
    applied,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await done;
    },
  };
}

/** What the thread that applies retentions reports. */
export type RetentionEvent = { readonly jobName: string; readonly scope: PruneRequest['scope'] } & (
  | ({ readonly is: 'applied' } & PruneCounts)
  | { readonly is: 'failed'; readonly message: string }
);

/** Logs what a retention deleted, or why it could not. */
export function logRetention(log: Log, event: RetentionEvent): void {
  if (event.is === 'failed') log.warn({ retention: event }, 'a retention is applied later');
  else if (Object.keys(event.rows).length > 0) log.info({ retention: event }, 'retention: deleted old data');
}
