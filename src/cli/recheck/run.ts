import { countUnrecordedRequests } from '../../analysis/crawls/crawl-answer.ts';
import { countDueItems } from '../../analysis/recheck/due-items.ts';
import { readRecheckCounts } from '../../analysis/recheck/recheck-outcome.ts';
import type { RecheckScope, RecheckSelection, SelectedItem } from '../../analysis/recheck/recheck-scope.ts';
import { MAX_REQUESTS_PER_ACCOUNT, selectChecks } from '../../analysis/recheck/select-checks.ts';
import { systemClock } from '../../base/clock.ts';
import { UsageError } from '../../base/errors.ts';
import { buildCrawlKey, type PlanTotals } from '../../crawl/planning/plan.ts';
import type { CrawlRow } from '../../store/schema/crawl-row.ts';
import { type Db } from '../../store/sqlite/database.ts';
import { openStore } from '../../store/store.ts';
import { getConfig } from '../context.ts';
import { crawlInProcess, type CrawlRunOptions, type CrawlStages } from '../crawl/run.ts';
import { findAccounts } from '../export/accounts.ts';
import { readQuota } from '../forecast/read-quota.ts';
import { EXIT } from '../shared/common-options.ts';
import { openExistingDatabase } from '../shared/existing-store.ts';
import { print, printJson } from '../terminal/print.ts';
import {
  describeDue,
  formatRecheckPlan,
  formatRecheckResult,
  toRecheckPlanJson,
  toRecheckResultJson,
} from './report.ts';

interface RecheckOptions extends CrawlRunOptions {
  /** Milliseconds. */
  readonly olderThan: number;
  readonly accounts?: readonly string[];
  readonly includeDeleted?: true;
  readonly dryRun?: true;
}

/** Checks stored tweets or accounts, the one with the oldest check first. Returns the exit code. */
export async function runRecheck(items: RecheckScope['items'], options: RecheckOptions): Promise<number> {
  const { db: path, olderThan, maxRequests = Infinity, includeDeleted: includesGone, json } = options;
  if (items === 'users' && maxRequests < MAX_REQUESTS_PER_ACCOUNT) {
    throw new UsageError('--max-requests is too low for an account', {
      hint: `The check of an account may take ${MAX_REQUESTS_PER_ACCOUNT} requests, most take one.`,
    });
  }
  using db = await openExistingDatabase(path);
  const { restIds: accountIds } = await findAccounts(db, options, 'recheck');
  const startedAt = systemClock.now();
  const scope: RecheckScope = { items, before: startedAt - olderThan, accountIds, includesGone };
  const selection = selectChecks(db, scope, maxRequests);
  if (options.dryRun) return await printPlan(db, scope, selection, options);
  if (selection.specs.length > 0) {
    const stages = createStages(db, scope, selection, { startedAt, maxRequests });
    return await crawlInProcess(selection.specs, { ...options, needsConfirmation: true }, getConfig(), stages);
  }
  const left = countDueItems(db, scope);
  const counts = readRecheckCounts(db, items, [], startedAt);
  if (json) {
    const result = toRecheckResultJson({ scope, counts, left, requests: 0, startedAt });
    printJson({ crawls: [], unfinished: 0, durationMs: 0, db: path, ...result });
  } else print(describeDue(scope, left).join('\n'));
  return EXIT.complete;
}

const toTotals = ({ specs, requests, longest }: RecheckSelection): PlanTotals => ({
  crawls: specs.length,
  requests,
  longest,
  hasChildren: false,
});

async function printPlan(
  db: Db,
  scope: RecheckScope,
  selection: RecheckSelection,
  { db: path, json, quiet, concurrency }: RecheckOptions,
): Promise<number> {
  await using store = openStore(path);
  const quota = { config: getConfig(), facts: store.planningQueries(), priority: 'backfill', db: path } as const;
  const report = {
    ...(await readQuota(
      {
        ...quota,
        storeId: store.id,
      },
      quiet,
    )),
    totals: toTotals(selection),
    now: systemClock.now(),
    concurrency,
  };
  const plan = { scope, selection, report, due: countDueItems(db, scope) };
  if (json) printJson(toRecheckPlanJson(plan));
  else print(formatRecheckPlan(plan));
  return EXIT.complete;
}

/** The checks of a run in stages: tweets that a list of their author lacks are requested by their ids. */
function createStages(
  db: Db,
  scope: RecheckScope,
  first: RecheckSelection,
  { startedAt, maxRequests }: { readonly startedAt: number; readonly maxRequests: number },
): CrawlStages {
  const requested = new Set(first.specs.map(buildCrawlKey));
  const items = new Map<number, SelectedItem>(first.items.map((item) => [item.id, item]));
  return {
    estimate: () => toTotals(first),
    nextSpecs(_, rows) {
      const next = selectChecks(db, scope, maxRequests - sumRequests(rows));
      for (const item of next.items) if (!items.has(item.id)) items.set(item.id, item);
      const specs = next.specs.filter((spec) => !requested.has(buildCrawlKey(spec)));
      for (const spec of specs) requested.add(buildCrawlKey(spec));
      return specs;
    },
    readOutcome(_, rows) {
      const counts = readRecheckCounts(db, scope.items, [...items.values()], startedAt);
      const left = countDueItems(db, scope);
      const result = { scope, counts, left, requests: sumRequests(rows), startedAt };
      const hasFailed = rows.some(({ state }) => state === 'failed');
      return {
        lines: formatRecheckResult(result),
        fields: toRecheckResultJson(result),
        isPartial: left.due > 0,
        exitCode: hasFailed ? EXIT.failed : EXIT.complete,
      };
    },
  };
}

const sumRequests = (rows: readonly CrawlRow[]): number =>
  rows.reduce((sum, row) => sum + row.requests + countUnrecordedRequests(row), 0);
