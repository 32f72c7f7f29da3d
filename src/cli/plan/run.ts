import { existsSync } from 'node:fs';
import { systemClock } from '#base/clock.ts';
import { getConfig } from '#cli/context.ts';
import { toPlanJson, formatPlan } from '#cli/forecast/format-plan.ts';
import { readQuota } from '#cli/forecast/read-quota.ts';
import { decideSkippedCode, EXIT } from '#cli/shared/common-options.ts';
import { readCrawlArguments } from '#cli/shared/crawl-arguments.ts';
import type { CrawlCommandOptions } from '#cli/shared/crawl-options.ts';
import { printPanelNotes } from '#cli/targets/panel-notes.ts';
import { createProgressLine, type ProgressLine } from '#cli/terminal/output.ts';
import { formatCount, pluralize, print, printJson } from '#cli/terminal/print.ts';
import { type CrawlPlan, planCrawls, sumPlans } from '#crawl/planning/plan.ts';
import type { PlanReport } from '#library/run/forecast-requests.ts';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import type { Priority } from '#service/quota/priorities.ts';
import { NO_PLANNING_READS, type PlanningQueries } from '#store/planning-reads.ts';
import { toQueries } from '#store/store-reads.ts';
import { openStore } from '#store/store.ts';

interface PlanOptions extends CrawlCommandOptions {
  readonly priority: Priority;
  readonly concurrency: number;
}

/** Prints the estimated cost of crawls. Returns the exit code. */
export async function runPlan(kind: string, targets: readonly string[], options: PlanOptions): Promise<number> {
  const { db, priority, concurrency, maxRequests } = options;
  const requested = await readCrawlArguments(kind, targets, options);
  const specs = [...requested.specs];
  await printPanelNotes(options);
  await withFacts(db, async (facts, storeId) => {
    const now = systemClock.now();
    const plans = await planVisibly(specs, facts, now);
    const report: PlanReport = {
      ...(await readQuota({ config: getConfig(), facts, storeId, priority, db })),
      totals: await sumPlans(plans),
      now,
      concurrency,
      maxRequests,
    };
    if (options.json) printJson(toPlanJson(plans, report));
    else print(formatPlan(plans, report));
  });
  return decideSkippedCode(requested, EXIT.complete);
}

/** Plans of many targets take seconds. */
const SHOW_PROGRESS_AFTER_MS = 300;

/** Plans crawls. Shows the progress on stderr if that takes long. */
async function planVisibly(specs: readonly CrawlSpec[], facts: PlanningQueries, now: number): Promise<CrawlPlan[]> {
  let line: ProgressLine | undefined;
  try {
    return await planCrawls(specs, facts, now, async (count) => {
      if (systemClock.now() - now < SHOW_PROGRESS_AFTER_MS) return;
      line ??= await createProgressLine();
      line.show(`planned ${formatCount(count)} of ${pluralize(specs.length, 'crawl')}`);
    });
  } finally {
    line?.[Symbol.dispose]();
  }
}

/** A plan does not create a missing store. */
async function withFacts<T>(path: string, fn: (facts: PlanningQueries, storeId?: string) => Promise<T>): Promise<T> {
  if (!existsSync(path)) return await fn(toQueries<PlanningQueries>(NO_PLANNING_READS));
  await using store = openStore(path);
  return await fn(store.planningQueries(), store.id);
}
