import { readDroppedFields } from '../../analysis/quality/dropped-fields.ts';
import { SECOND, systemClock } from '../../clock.ts';
import { openWorkContext, type WorkContext } from '../../composition.ts';
import type { Config } from '../../config.ts';
import { isDiskError } from '../../engine/failures.ts';
import type { OutageState } from '../../engine/outage/circuit.ts';
import type { CrawlSpec } from '../../kinds/crawl-spec.ts';
import { addPlans, estimateTotals, type PlanTotals } from '../../planning/plan.ts';
import { SOFT_LOCK_MS, SOFT_LOCK_RENEWAL_MS, createRunName } from '../../queue/soft-locks.ts';
import type { CrawlRow } from '../../store/schema/crawl-row.ts';
import { findReplacement } from '../../store/sqlite/file-watch.ts';
import type { StoreReads } from '../../store/store-reads.ts';
import { getConfig } from '../context.ts';
import { confirmPlan } from '../forecast/confirm-plan.ts';
import { readOutlook } from '../forecast/outlook.ts';
import type { PlanReport } from '../forecast/plan-report.ts';
import { beginRun } from '../shared/begin-run.ts';
import { EXIT, requireService } from '../shared/common-options.ts';
import type { CrawlCommandOptions, WorkerOptions } from '../shared/crawl-options.ts';
import { describeDiskEvent } from '../shared/disk-report.ts';
import { readStore } from '../shared/existing-store.ts';
import { openLog } from '../shared/open-log.ts';
import { describeOutageEvent, describeWaitTimeout } from '../shared/outage-report.ts';
import { COMMAND_WAIT_MS, createOutageTimeout } from '../shared/outage-wait.ts';
import { trapSignals } from '../shared/signals.ts';
import { decideExitCode } from '../targets/crawl-summary.ts';
import { readRequestedCrawls } from '../targets/requested-crawls.ts';
import { pluralize } from '../terminal/format.ts';
import { printNote } from '../terminal/output.ts';
import { createProgressLine, printAboveProgress } from '../terminal/progress.ts';
import { createProgressFormatter, followCrawls, type QuotaLeft } from './follow-crawls.ts';
import {
  type CommandOutcome,
  printCrawlReport,
  printUnfinished,
  printHandleNotes,
  printNextStep,
  countUnfinished,
} from './report.ts';

export interface CrawlRunOptions extends CrawlCommandOptions, WorkerOptions {
  /** Asks for a confirmation of a plan that exceeds a quota window, unless `yes` is set. */
  readonly needsConfirmation?: boolean;
  readonly yes?: true;
}

/** Runs the crawls of the command line in this process. Returns the exit code. */
export async function runCrawls(kind: string, targets: readonly string[], options: CrawlRunOptions): Promise<number> {
  const config = getConfig();
  const { specs, invalidTargets } = readSpecs(kind, targets, options);
  if (specs.length === 0) {
    printNote('no targets: nothing to do');
    return EXIT.complete;
  }
  const code = await crawlInProcess(specs, { ...options, needsConfirmation: true }, config);
  return invalidTargets > 0 ? EXIT.failed : code;
}

function readSpecs(kind: string, targets: readonly string[], options: CrawlRunOptions) {
  using requested = readRequestedCrawls(kind, targets, options, 'interactive');
  return { specs: [...requested.specs], invalidTargets: requested.invalidTargets };
}

/** The later stages of a command that crawls in several stages. */
export interface CrawlStages {
  /** The crawls of the next stage, after all so far have ended; none after the last stage. */
  nextSpecs(read: StoreReads, rows: readonly CrawlRow[]): readonly CrawlSpec[];
  /** The cost of all stages; by default, that of the first. */
  estimate?(read: StoreReads): PlanTotals;
  readOutcome(read: StoreReads): CommandOutcome;
}

export async function crawlInProcess(
  specs: readonly CrawlSpec[],
  options: CrawlRunOptions,
  config: Config,
  stages?: CrawlStages,
): Promise<number> {
  using interruption = trapSignals('stopping after the current page');
  const startedAt = systemClock.now();
  const { rows, ids, outcome } = await crawlUntil(interruption.signal, specs, options, config, stages);
  const rowIds = rows.map(({ id }) => id);
  const dropped = await readStore(options.db, (db) => readDroppedFields(db, rowIds));
  printCrawlReport(rows, { ...options, ms: systemClock.now() - startedAt, outcome, dropped });
  if (!options.quiet) {
    await printHandleNotes(rows, options.db);
    printNextStep(rows);
  }
  printUnfinished(rows);
  const code = decideExitCode(rows, ids);
  return interruption.code() ?? (code === EXIT.complete && outcome?.isPartial ? EXIT.partial : code);
}

/** Runs crawls without output. */
export async function crawlSilently(
  specs: readonly CrawlSpec[],
  options: CrawlRunOptions,
  config: Config,
): Promise<CrawlRow[]> {
  using interruption = trapSignals('stopping after the current page');
  return (await crawlUntil(interruption.signal, specs, options, config)).rows;
}

interface RunResult {
  readonly rows: CrawlRow[];
  readonly ids: readonly number[];
  readonly outcome: CommandOutcome | undefined;
}

async function crawlUntil(
  signal: AbortSignal,
  specs: readonly CrawlSpec[],
  options: CrawlRunOptions,
  config: Config,
  stages?: CrawlStages,
): Promise<RunResult> {
  const run = createRunName();
  await using work = await openWorkContext({
    config,
    run,
    db: options.db,
    service: requireService(config),
    log: openLog({ level: options.quiet ? 'silent' : 'error' }),
    keepRaw: options.raw,
    minFree: options.minFreeDisk,
    signal,
    onWarning: (message) => options.quiet || printAboveProgress(`warning: ${message}`),
    onOutage: (event) => options.quiet || printAboveProgress(describeOutageEvent(event)),
    onDisk: (event) => options.quiet || printAboveProgress(describeDiskEvent(event)),
  });
  signal.throwIfAborted();
  if (!options.quiet) printNote(`queue: ${work.redis.description}`);
  if (options.needsConfirmation) {
    const totals = stages?.estimate?.(work.store.read);
    await confirmPlan(await createPlanReport(work, specs, options, config, totals), options, signal);
  }
  const renewal = setInterval(() => {
    // A failed renewal is repeated long before the lock expires.
    work.store.write.setSoftLock({ owner: run, until: systemClock.now() + SOFT_LOCK_MS }).catch(() => undefined);
  }, SOFT_LOCK_RENEWAL_MS);
  let ids: readonly number[] = [];
  let rows: CrawlRow[] = [];
  try {
    const runId = await beginRun(work.store.write, options);
    for (let more = specs; more.length > 0;) {
      ids = [...new Set([...ids, ...(await enqueue(work, more, runId, options))])];
      rows = await followWork(work, ids, options, signal);
      more = signal.aborted || countUnfinished(rows) > 0 ? [] : (stages?.nextSpecs(work.store.read, rows) ?? []);
    }
  } catch (error) {
    if (!findReplacement(work.store.files)) printUnfinished(work.store.read.crawlTree(ids));
    throw error;
  } finally {
    clearInterval(renewal);
    // On a full disk, the lock expires.
    await work.store.write.setSoftLock({ owner: run, until: 0 }).catch((error: unknown) => {
      if (!isDiskError(error)) throw error;
    });
  }
  return { rows, ids, outcome: stages?.readOutcome(work.store.read) };
}

/** Queues crawls. Prints the number of unfinished crawls that are resumed. Returns the ids. */
async function enqueue(
  { producer, store }: WorkContext,
  specs: readonly CrawlSpec[],
  runId: number | undefined,
  options: CrawlRunOptions,
): Promise<number[]> {
  const inRun = specs.map((spec) => ({ ...spec, runId }));
  const opened = await producer.enqueue(await addPlans(inRun, store.planningQueries(), systemClock.now()));
  const ids = [...new Set(opened.map(({ id }) => id))];
  // A target that is named twice joins itself, which is not reported.
  const created = new Set(opened.filter((crawl) => !crawl.isJoined).map(({ id }) => id));
  const joined = countUnfinished(store.read.crawlTree(ids.filter((id) => !created.has(id))));
  if (joined > 0 && !options.quiet) printNote(`resuming ${pluralize(joined, 'unfinished crawl')}`);
  return ids;
}

/** The plan of the crawls with the current quota. */
async function createPlanReport(
  { initialTokenInfo: sample, store }: WorkContext,
  specs: readonly CrawlSpec[],
  options: CrawlRunOptions,
  config: Config,
  totals?: PlanTotals,
): Promise<PlanReport> {
  const facts = store.planningQueries();
  const now = systemClock.now();
  const priority = specs[0]?.priority ?? 'interactive';
  return {
    totals: totals ?? (await estimateTotals(specs, facts, now)),
    outlook: sample && (await readOutlook(sample, { facts, config, priority })),
    requestMs: await facts.meanRequestMs(),
    concurrency: options.concurrency,
    maxRequests: options.maxRequests,
    now,
  };
}

async function followWork(
  work: WorkContext,
  ids: readonly number[],
  options: CrawlRunOptions,
  signal: AbortSignal,
): Promise<CrawlRow[]> {
  const { store, governor, breaker, disk } = work;
  await using workers = work.startWorkers(options.concurrency);
  using line = await createProgressLine({ quiet: options.quiet ?? false, now: systemClock.now });
  const progress = createProgressFormatter(store, store.read.crawlTree(ids), systemClock.now());
  let quota: QuotaLeft | undefined;
  let outage: OutageState | undefined;
  const isOver = createOutageTimeout(options.wait ?? COMMAND_WAIT_MS);
  const refresh = async () => {
    outage = await breaker.readState();
    const { limit, estimate, priorities } = await governor.readStatus();
    quota = limit === undefined || estimate === undefined ? undefined : { limit, left: estimate, priorities };
  };
  const refreshing = setInterval(() => void refresh().catch(() => undefined), SECOND);
  const ended = new AbortController();
  let hasWaited = false;
  try {
    const followed = followCrawls({
      store,
      ids,
      clock: systemClock,
      signal: AbortSignal.any([signal, ended.signal]),
      onRead(rows) {
        const now = systemClock.now();
        line.show(progress(rows, { now, quota, outage, shortage: disk.shortage }));
        const open = rows.filter(({ finishedAt }) => finishedAt === null);
        const done = rows.reduce((sum, { pages }) => sum + pages, rows.length - open.length);
        hasWaited ||= isOver(open, { outage, shortage: disk.shortage }, { progress: done, now });
        if (hasWaited) ended.abort();
      },
    });
    await Promise.race([followed, workers.stopped]);
  } finally {
    ended.abort();
    clearInterval(refreshing);
    await workers[Symbol.asyncDispose]();
  }
  if (hasWaited) printAboveProgress(describeWaitTimeout(options.wait ?? COMMAND_WAIT_MS, disk.shortage !== undefined));
  return store.read.crawlTree(ids);
}
