import { countUnrecordedRequests } from '#analysis/crawls/describe-crawl.ts';
import {
  countDueItems,
  type RecheckScope,
  type RecheckSelection,
  type SelectedItem,
  type DueItems,
  readRecheckCounts,
  type RecheckCounts,
} from '#analysis/recheck/due-items.ts';
import { MAX_REQUESTS_PER_ACCOUNT, selectChecks } from '#analysis/recheck/select-checks.ts';
import { systemClock } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { getConfig } from '#cli/context.ts';
import { crawlInProcess, type CrawlRunOptions, type CrawlStages } from '#cli/crawl/run.ts';
import { findAccounts } from '#cli/export/accounts.ts';
import { formatForecast, toPlanJson } from '#cli/forecast/format-plan.ts';
import { readQuota } from '#cli/forecast/read-quota.ts';
import { EXIT } from '#cli/shared/common-options.ts';
import { openExistingDatabase } from '#cli/shared/existing-store.ts';
import { print, printJson, formatCount, formatMinute, hint, pluralize, pronounOf, toIso } from '#cli/terminal/print.ts';
import { buildCrawlKey, type PlanTotals } from '#crawl/planning/plan.ts';
import type { PlanReport } from '#library/run/forecast-requests.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { Db } from '#store/sqlite/database.ts';
import { openStore } from '#store/store.ts';

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
  { db: path, json, concurrency }: RecheckOptions,
): Promise<number> {
  await using store = openStore(path);
  const facts = store.planningQueries();
  const request = { config: getConfig(), facts, priority: 'backfill', db: path, storeId: store.id } as const;
  const report = {
    ...(await readQuota(request)),
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

const NOUNS = { tweets: 'tweet', users: 'account' } as const;

/** What would be checked, and what it costs. */
export interface RecheckPlan {
  readonly scope: RecheckScope;
  readonly due: DueItems;
  readonly selection: RecheckSelection;
  readonly report: PlanReport;
}

/** How many items are due, and what is not asked for. */
function describeDue(scope: RecheckScope, due: DueItems): string[] {
  const oldest = due.oldestCheckAt === null ? '' : `, the oldest ${formatMinute(due.oldestCheckAt)}Z`;
  return [
    `${pluralize(due.due, NOUNS[scope.items])} due: last checked before ${formatMinute(scope.before)}Z${oldest}.`,
    ...describeSkipped(scope, due),
  ];
}

function formatRecheckPlan({ scope, due, selection, report }: RecheckPlan): string {
  const { items, lists } = selection;
  const single = items.length - lists.tweets;
  return [
    ...describeDue(scope, due),
    ...(items.length < due.due ? [`${formatCount(items.length)} of them fit into the budget.`] : []),
    ...(lists.crawls > 0
      ? [
          `${pluralize(lists.crawls, 'list')} should show ${pluralize(lists.tweets, 'tweet')}; ${formatCount(single)} are requested by id.`,
        ]
      : []),
    ...(items.length > 0 ? formatForecast(report) : []),
  ].join('\n');
}

/** What is not asked for, if anything. */
function describeSkipped({ items }: RecheckScope, { gone, ofUnavailable }: DueItems): string[] {
  if (gone + ofUnavailable === 0) return [];
  const parts =
    items === 'users'
      ? [pluralize(gone, 'unavailable account')]
      : [
          ...(gone > 0 ? [pluralize(gone, 'deleted tweet')] : []),
          ...(ofUnavailable > 0 ? [`${pluralize(ofUnavailable, 'tweet')} of unavailable accounts`] : []),
        ];
  return [`Not checked: ${parts.join(' and ')} (--include-deleted checks ${pronounOf(gone + ofUnavailable)}).`];
}

function toRecheckPlanJson({ scope, due, selection, report }: RecheckPlan) {
  const { crawls: _crawls, missing: _missing, ...forecast } = toPlanJson([], report);
  return {
    recheck: scope.items,
    before: scope.before,
    ...due,
    selected: selection.items.length,
    lists: selection.lists,
    ...forecast,
  };
}

/** What a run has shown. */
export interface RecheckResult {
  readonly scope: RecheckScope;
  readonly counts: RecheckCounts;
  /** What is due, or not asked for, after the run. */
  readonly left: DueItems;
  readonly requests: number;
  /** When the run started, milliseconds UTC. */
  readonly startedAt: number;
}

function formatRecheckResult({ scope, counts, left, requests, startedAt }: RecheckResult): string[] {
  const { items } = scope;
  const { present, deleted, unavailable, renamed, handlesTaken, restored, checked } = counts;
  const parts = [
    `${formatCount(present)} still there`,
    ...(items === 'tweets' ? [`${formatCount(deleted)} deleted`] : []),
    items === 'tweets'
      ? `${formatCount(unavailable)} of unavailable accounts`
      : `${formatCount(unavailable)} unavailable`,
  ];
  const taken = handlesTaken > 0 ? ` (${formatCount(handlesTaken)} of the handles belong to other accounts now)` : '';
  const news = [
    ...(renamed > 0 ? [`${formatCount(renamed)} renamed${taken}`] : []),
    ...(restored > 0 ? [`${formatCount(restored)} restored`] : []),
  ];
  const since = `--since ${toIso(startedAt)}`;
  const commands = [
    ...(deleted > 0 ? [hint('query run', `deleted-tweets ${since}`)] : []),
    ...(unavailable > 0 ? [hint('query run', `unavailable-accounts ${since}`)] : []),
    ...(renamed > 0 ? [hint('query run', 'renames')] : []),
    ...(restored > 0 ? [hint('query run', 'restored')] : []),
  ];
  return [
    `Checked ${pluralize(checked, NOUNS[items])} with ${pluralize(requests, 'request')}: ${[...parts, ...news].join(', ')}.`,
    ...describeSkipped(scope, left),
    ...(left.due > 0 ? [`Left for the next run: ${formatCount(left.due)}.`] : []),
    ...(commands.length > 0 ? [`Listed by ${commands.join(', ')}.`] : []),
  ];
}

const toRecheckResultJson = ({ scope, counts, left, requests }: RecheckResult) => ({
  recheck: { items: scope.items, before: scope.before, requests, ...counts, left },
});
