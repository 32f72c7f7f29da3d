import { readDroppedFields } from '#analysis/quality/dropped-fields.ts';
import { systemClock } from '#base/clock.ts';
import { getConfig, getContext, runInContext } from '#cli/context.ts';
import { confirmPlan } from '#cli/forecast/format-plan.ts';
import { decideSkippedCode, EXIT, requireService } from '#cli/shared/common-options.ts';
import { readCrawlArguments } from '#cli/shared/crawl-arguments.ts';
import type { CrawlCommandOptions, WorkerOptions } from '#cli/shared/crawl-options.ts';
import { adviseOnDisk } from '#cli/shared/disk-report.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import { openLog } from '#cli/shared/open-log.ts';
import { describeWaitTimeout } from '#cli/shared/outage-report.ts';
import { trapSignals } from '#cli/shared/signals.ts';
import { decideExitCode } from '#cli/targets/crawl-summary.ts';
import { printPanelNotes } from '#cli/targets/panel-notes.ts';
import { createProgressLine, printAboveProgress } from '#cli/terminal/output.ts';
import { pluralize, printNote } from '#cli/terminal/print.ts';
import type { WorkContext } from '#composition.ts';
import type { Config } from '#config.ts';
import { describeOutageEvent } from '#crawl/gates/hold-events.ts';
import { planEach, type PlanTotals, sumPlans } from '#crawl/planning/plan.ts';
import { type PlanReport, readOutlook } from '#library/run/forecast-requests.ts';
import { type ProgressView, runCrawlsToEnd, type RunResult, type RunStages } from '#library/run/run-crawls.ts';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { StoreReads } from '#store/store-reads.ts';
import type { Store } from '#store/store.ts';
import { createProgressFormatter } from './progress-formatter.ts';
import { type CommandOutcome, printCrawlReport, printUnfinished, printEvidenceNotes, printNextStep } from './report.ts';

export interface CrawlRunOptions extends CrawlCommandOptions, WorkerOptions {
  /** Asks for a confirmation of a plan that exceeds a quota window, unless `yes` is set. */
  readonly needsConfirmation?: boolean;
  readonly yes?: true;
}

/** Runs the crawls of the command line in this process. Returns the exit code. */
export async function runCrawls(kind: string, targets: readonly string[], options: CrawlRunOptions): Promise<number> {
  const config = getConfig();
  const requested = await readCrawlArguments(kind, targets, options);
  if (requested.specs.size === 0) {
    printNote('no targets: nothing to do');
    return decideSkippedCode(requested, EXIT.complete);
  }
  const code = await crawlInProcess([...requested.specs], { ...options, needsConfirmation: true }, config);
  return decideSkippedCode(requested, code);
}

/** The later stages of a command that crawls in several stages. */
export interface CrawlStages extends RunStages<CommandOutcome> {
  /** The cost of all stages; by default, that of the first. */
  estimate?(read: StoreReads): PlanTotals;
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
  if (!getContext().isQuiet) await printEvidenceNotes(rows, options.db);
  await printPanelNotes(options);
  printNextStep(rows);
  printUnfinished(rows);
  const code = outcome?.exitCode ?? decideExitCode(rows, ids);
  return interruption.code() ?? (code === EXIT.complete && outcome?.isPartial ? EXIT.partial : code);
}

/** Runs crawls without output. */
export async function crawlSilently(
  specs: readonly CrawlSpec[],
  options: CrawlRunOptions,
  config: Config,
): Promise<CrawlRow[]> {
  using interruption = trapSignals('stopping after the current page');
  const context = { ...getContext(), isQuiet: true };
  return (await runInContext(context, () => crawlUntil(interruption.signal, specs, options, config))).rows;
}

async function crawlUntil(
  signal: AbortSignal,
  specs: readonly CrawlSpec[],
  options: CrawlRunOptions,
  config: Config,
  stages?: CrawlStages,
): Promise<RunResult<CommandOutcome>> {
  const { db, concurrency, maxTargets, maxRequests, maxRequestsPerDay, needsConfirmation } = options;
  const { isQuiet } = getContext();
  return await runCrawlsToEnd(
    specs,
    {
      config,
      db,
      concurrency,
      maxTargets,
      maxRequests,
      maxRequestsPerDay,
      signal,
      service: requireService(config),
      log: openLog({ level: isQuiet ? 'silent' : 'error' }),
      keepRaw: options.raw,
      minFree: options.minFreeDisk,
      waitMs: options.wait,
    },
    {
      async onOpen(work) {
        printNote(`queue: ${work.redis.description}`);
        if (!needsConfirmation) return;
        const totals = stages?.estimate?.(work.store.read);
        await confirmPlan(await createPlanReport(work, specs, options, config, totals), options, signal);
      },
      onResume: (crawls) => printNote(`resuming ${pluralize(crawls, 'unfinished crawl')}`),
      startProgress: (store, rows) => startProgressLine(store, rows),
      onWarning: (message) => printAboveProgress(`warning: ${message}`),
      onOutage: (event) => printAboveProgress(describeOutageEvent(event)),
      onDisk: (event) => printAboveProgress(adviseOnDisk(event)),
      onWaitTimeout: (waitMs, isForDisk) => printAboveProgress(describeWaitTimeout(waitMs, isForDisk)),
      onFailure: printUnfinished,
    },
    stages,
  );
}

async function startProgressLine(store: Store, rows: readonly CrawlRow[]): Promise<ProgressView> {
  const line = await createProgressLine();
  const format = createProgressFormatter(store, rows, systemClock.now());
  return {
    show: (read, snapshot) => line.show(format(read, snapshot)),
    [Symbol.dispose]: () => line[Symbol.dispose](),
  };
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
    totals: totals ?? (await sumPlans(planEach(specs, facts, now))),
    outlook: sample && (await readOutlook(sample, { facts, config, service: requireService(config), priority })),
    requestMs: await facts.meanRequestMs(),
    concurrency: options.concurrency,
    maxRequests: options.maxRequests,
    now,
  };
}
