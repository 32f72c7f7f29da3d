import { systemClock } from '../clock.ts';
import { loadConfig } from '../config.ts';
import { openWork, type WorkContext } from '../context.ts';
import { entryOf } from '../crawl/job.ts';
import { createLog } from '../log.ts';
import { requireService, tell } from './common.ts';
import { loadJobs } from './schedule-files.ts';
import { changesShown } from './schedule-sync.ts';
import { onInterrupt } from './signals.ts';
import { keptLine } from './summary.ts';

export interface WorkWords {
  readonly db: string;
  readonly concurrency: number;
  readonly drain?: true;
  readonly jobs?: string;
  readonly raw: boolean;
  readonly rawDays?: number;
  readonly quiet?: true;
}

const LOOK_MS = 250;

/** Works on what is in line until a signal, or until nothing is unfinished. Told to stop, it did: that is success. */
export async function runWork(words: WorkWords): Promise<void> {
  const config = loadConfig();
  using interruption = onInterrupt('stopping: the pages under way are finished and stored first');
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
    await work.scheduler.restore();
    if (words.drain && !words.quiet && work.store.read.unfinishedIds().length === 0) tell('nothing is in line');
    try {
      await workUntil(signal, work, words);
    } finally {
      const left = work.store.read.unfinishedIds().length;
      if (left > 0) tell(keptLine(left, '`trawl work` goes'));
    }
  } catch (error) {
    if (error !== signal.reason) throw error;
  }
}

async function workUntil(signal: AbortSignal, { store, work }: WorkContext, words: WorkWords): Promise<void> {
  await using workers = work(words.concurrency);
  const idle = async (): Promise<void> => {
    do await systemClock.sleep(LOOK_MS, signal).catch(() => undefined);
    while (!signal.aborted && !(words.drain && store.read.unfinishedIds().length === 0));
  };
  await Promise.race([idle(), workers.stopped]);
}
