import { existsSync } from 'node:fs';
import { systemClock } from '../../clock.ts';
import type { CrawlSpec } from '../../kinds/crawl-spec.ts';
import { type CrawlPlan, planCrawls, sumPlans } from '../../planning/plan.ts';
import type { Priority } from '../../quota/priorities.ts';
import type { PlanReport } from '../../run/plan-report.ts';
import { NO_PLANNING_READS, type PlanningQueries } from '../../store/planning-reads.ts';
import { toQueries } from '../../store/store-reads.ts';
import { openStore, type Store } from '../../store/store.ts';
import { getConfig } from '../context.ts';
import { toPlanJson, formatPlan } from '../forecast/plan-report.ts';
import { readQuota } from '../forecast/read-quota.ts';
import { decideSkippedCode, EXIT } from '../shared/common-options.ts';
import { readCrawlArguments } from '../shared/crawl-arguments.ts';
import type { CrawlCommandOptions } from '../shared/crawl-options.ts';
import { printPanelNotes } from '../targets/panel-notes.ts';
import { formatCount, pluralize, print, printJson } from '../terminal/print.ts';
import { createProgressLine, type ProgressLine } from '../terminal/progress.ts';

interface PlanOptions extends CrawlCommandOptions {
  readonly priority: Priority;
  readonly concurrency: number;
}

/** Prints the estimated cost of crawls. Returns the exit code. */
export async function runPlan(kind: string, targets: readonly string[], options: PlanOptions): Promise<number> {
  const { db, priority, panel, quiet, concurrency, maxRequests } = options;
  const config = getConfig();
  const requested = await readCrawlArguments(kind, targets, options);
  const specs = [...requested.specs];
  if (panel !== undefined && !quiet) await printPanelNotes(panel, db);
  await withFacts(db, async (facts, storeId) => {
    const now = systemClock.now();
    const plans = await planVisibly(specs, facts, now, quiet);
    const report: PlanReport = {
      ...(await readQuota({ config, facts, storeId, priority, db }, quiet)),
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
async function planVisibly(
  specs: readonly CrawlSpec[],
  facts: PlanningQueries,
  now: number,
  quiet: boolean | undefined,
): Promise<CrawlPlan[]> {
  let line: ProgressLine | undefined;
  try {
    return await planCrawls(specs, facts, now, async (count) => {
      if (systemClock.now() - now < SHOW_PROGRESS_AFTER_MS) return;
      line ??= await createProgressLine({ quiet });
      line.show(`planned ${formatCount(count)} of ${pluralize(specs.length, 'crawl')}`);
    });
  } finally {
    line?.[Symbol.dispose]();
  }
}

/** A plan does not create a missing store. */
async function withFacts<T>(path: string, fn: (facts: PlanningQueries, storeId?: string) => Promise<T>): Promise<T> {
  if (!existsSync(path)) return await fn(toQueries<PlanningQueries>(NO_PLANNING_READS));
  await using store: Store = openStore(path);
  return await fn(store.planningQueries(), store.id);
}
