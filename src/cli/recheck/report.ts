import type { RecheckCounts } from '../../analysis/recheck/recheck-outcome.ts';
import type { DueItems, RecheckScope, RecheckSelection } from '../../analysis/recheck/recheck-scope.ts';
import type { PlanReport } from '../../library/run/forecast-requests.ts';
import { formatForecast, toPlanJson } from '../forecast/format-plan.ts';
import { formatCount, formatMinute, hint, pluralize, pronounOf, toIso } from '../terminal/print.ts';

const NOUNS = { tweets: 'tweet', users: 'account' } as const;

/** What would be checked, and what it costs. */
export interface RecheckPlan {
  readonly scope: RecheckScope;
  readonly due: DueItems;
  readonly selection: RecheckSelection;
  readonly report: PlanReport;
}

/** How many items are due, and what is not asked for. */
export function describeDue(scope: RecheckScope, due: DueItems): string[] {
  const oldest = due.oldestCheckAt === null ? '' : `, the oldest ${formatMinute(due.oldestCheckAt)}Z`;
  return [
    `${pluralize(due.due, NOUNS[scope.items])} due: last checked before ${formatMinute(scope.before)}Z${oldest}.`,
    ...describeSkipped(scope, due),
  ];
}

export function formatRecheckPlan({ scope, due, selection, report }: RecheckPlan): string {
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

export function toRecheckPlanJson({ scope, due, selection, report }: RecheckPlan) {
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

export function formatRecheckResult({ scope, counts, left, requests, startedAt }: RecheckResult): string[] {
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

export const toRecheckResultJson = ({ scope, counts, left, requests }: RecheckResult) => ({
  recheck: { items: scope.items, before: scope.before, requests, ...counts, left },
});
