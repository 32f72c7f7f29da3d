import { SECOND, systemClock } from '../clock.ts';
import { loadConfig } from '../config.ts';
import { openWork, type WorkContext } from '../context.ts';
import { entryOf } from '../crawl/job.ts';
import { createLog } from '../log.ts';
import { unlessAborted } from '../wait.ts';
import { EXIT, requireService, tell } from './common.ts';
import { createOutageWait, DRAIN_WAIT } from './outage-wait.ts';
import { waitedInWords } from './outage-words.ts';
import { loadJobs } from './schedule-files.ts';
import { changesShown } from './schedule-sync.ts';
import { onInterrupt } from './signals.ts';
import { keptLine } from './summary.ts';

export interface WorkWords {
  readonly db: string;
  readonly concurrency: number;
  readonly drain?: true;
  /** With `drain`: how long to wait for a service that is out, in ms. */
  readonly wait?: number;
  readonly jobs?: string;
  readonly raw: boolean;
  readonly rawDays?: number;
  readonly quiet?: true;
}

const LOOK_MS = 250;
/** How often a drain looks whether all that is left waits for the service. */
const OUTAGE_LOOK_MS = 5 * SECOND;

/**
 * Works on what is in line until a signal, or until nothing is unfinished. Returns the exit code: 0 also when it was told
 * to stop, 3 when a drain has waited long enough for a service that is out.
 */
export async function runWork(words: WorkWords): Promise<number> {
  const config = loadConfig();
  using interruption = onInterrupt('stopping: the pages under way are finished and stored first', EXIT.complete);
  const { signal } = interruption;
  const jobs = words.jobs === undefined ? undefined : loadJobs(words.jobs, words.db);
  try {
    await using work = await openWork({
      config,
      db: words.db,
      service: requireService(config),
      log: createLog({ level: words.quiet ? 'silent' : 'info' }),
      keepRaw: words.raw,
      rawDays: words.rawDays ?? config.rawDays,
      signal,
    });
    if (!words.quiet) tell(`working on ${words.db}; queue: ${work.engine.description}`);
    if (jobs) {
      const changes = await work.store.write.setSchedule(jobs.map(entryOf), systemClock.now());
      if (!words.quiet) tell(changesShown(changes));
    }
    // Before there are workers: what was missed is in line when they begin.
    await unlessAborted(work.scheduler.restore(), signal);
    if (words.drain && !words.quiet && work.store.read.unfinishedIds().length === 0) tell('nothing is in line');
    try {
      const isDone = await workUntil(signal, work, words);
      if (!isDone) tell(waitedInWords(words.wait ?? DRAIN_WAIT));
      return isDone ? EXIT.complete : EXIT.partial;
    } finally {
      const left = work.store.read.unfinishedIds().length;
      if (left > 0) tell(keptLine(left, '`trawl work` goes'));
    }
  } catch (error) {
    if (error !== signal.reason) throw error;
    return EXIT.complete;
  }
}

/** Returns false where it ended because the service was out for too long. */
async function workUntil(signal: AbortSignal, context: WorkContext, words: WorkWords): Promise<boolean> {
  const { store, work } = context;
  await using workers = work(words.concurrency);
  const hasWaited = words.drain ? outageLook(context, words.wait ?? DRAIN_WAIT) : async () => false;
  const idle = async (): Promise<boolean> => {
    for (;;) {
      await systemClock.sleep(LOOK_MS, signal).catch(() => undefined);
      if (signal.aborted || (words.drain && store.read.unfinishedIds().length === 0)) return true;
      if (await hasWaited()) return false;
    }
  };
  return await Promise.race([idle(), workers.stopped]);
}

/** Looks, now and then, whether all that is unfinished has waited for the service for longer than `waitMs`. */
function outageLook({ store: { read }, breaker }: WorkContext, waitMs: number): () => Promise<boolean> {
  const isOver = createOutageWait(waitMs);
  let nextLook = 0;
  return async () => {
    const now = systemClock.now();
    if (now < nextLook) return false;
    nextLook = now + Math.min(OUTAGE_LOOK_MS, waitMs / 2);
    return isOver(read.unfinishedStates(), await breaker.state(), { progress: read.lastStep(), now });
  };
}
