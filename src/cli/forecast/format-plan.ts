import { SECOND } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { askYes, requireTerminal } from '#cli/terminal/ask.ts';
import {
  formatCount,
  formatPercent,
  pluralize,
  renderTable,
  hint,
  printNote,
  formatDuration,
  formatSecond,
} from '#cli/terminal/print.ts';
import { sumEstimates } from '#crawl/planning/estimate.ts';
import type { CrawlPlan, MissingFact } from '#crawl/planning/plan.ts';
import { forecastRequests, type PlanReport } from '#library/run/forecast-requests.ts';
import type { Estimate, CrawlSpec } from '#service/kinds/crawl-spec.ts';
import { formatTarget } from '#service/kinds/target.ts';
import { computeRequestsPerWindow, type Forecast } from '#service/quota/forecast.ts';

/** Formats an estimate: `12`, `12 (10 to 15)`, `10 to 15`, `at least 10`. */
function formatEstimate({ min, expected, max }: Estimate): string {
  if (min === max) return formatCount(min);
  const range = max === null ? `at least ${formatCount(min)}` : `${formatCount(min)} to ${formatCount(max)}`;
  return expected === null ? range : `${formatCount(expected)} (${range})`;
}

/** Formats an estimate of requests: `at least 1 request`. */
export function formatRequests(estimate: Estimate): string {
  const isOne = Object.values(estimate).every((n) => n === 1 || n === null);
  return `${formatEstimate(estimate)} ${isOne ? 'request' : 'requests'}`;
}

/** Facts that narrow a plan, and whether a fact belongs to a target or to a kind. */
const FACTS: Readonly<
  Record<MissingFact['fact'], { readonly scope: 'target' | 'kind'; readonly description: string }>
> = {
  profile: { scope: 'target', description: 'the profile, with its counts (`trawl crawl profile` shows it)' },
  items: { scope: 'target', description: 'the number of items' },
  share: {
    scope: 'kind',
    description: "the share of an account's tweets that its timeline shows: no timeline was crawled to its end",
  },
  pageSize: { scope: 'kind', description: 'the page size of the service (a crawl with --max-pages 1 shows it)' },
  isPaged: { scope: 'kind', description: 'whether there is more than one page' },
  children: { scope: 'kind', description: 'the cost of such a crawl for one account' },
  halves: { scope: 'kind', description: 'how often a window is bisected' },
  overlap: { scope: 'kind', description: 'the number of accounts that the lists share' },
};

/** The document of `--json`. A number is null if it is unknown; `finishAt` is null if only a range is known. */
export function toPlanJson(plans: readonly CrawlPlan[], report: PlanReport) {
  const { outlook, totals, maxRequests } = report;
  const forecasts = forecastRequests(report);
  const figures = (name: keyof Estimate) => {
    const [requests, forecast] = [totals.requests[name], forecasts[name]];
    return {
      requests,
      windows: forecast?.windows ?? null,
      finishAt: forecast?.finishAt,
      earliestFinishAt: forecast?.earliestAt,
      share: requests === null || outlook === undefined ? null : requests / outlook.limit,
    };
  };
  return {
    expected: figures('expected'),
    min: figures('min'),
    max: figures('max'),
    quota: outlook
      ? {
          limit: outlook.limit,
          remaining: outlook.remaining,
          headroom: outlook.headroom,
          requestsPerWindow: computeRequestsPerWindow(outlook),
          resetAt: outlook.resetAt,
          windowMs: outlook.windowMs ?? null,
        }
      : null,
    maxRequests: maxRequests ?? null,
    missing: plans.flatMap(({ missing }) =>
      missing.map(({ fact, spec }) => ({
        fact,
        kind: spec.kind,
        target: spec.target,
        message: FACTS[fact].description,
      })),
    ),
    crawls: plans.map(({ spec, ownRequests, requests, accounts, resumedCrawlId }) => ({
      ...toSpecJson(spec),
      resumedCrawlId: resumedCrawlId ?? null,
      requests,
      ownRequests,
      accounts: accounts ?? null,
    })),
  };
}

const toSpecJson = ({ kind, target, options }: CrawlSpec) => ({
  kind,
  target,
  options: JSON.parse(options) as unknown,
});

const MAX_CRAWLS = 40;

export function formatPlan(plans: readonly CrawlPlan[], report: PlanReport): string {
  if (plans.length === 0) return 'no targets: nothing to plan';
  const groups = groupUnknownAccounts(plans);
  const rows = groups.slice(0, MAX_CRAWLS).map(formatRow);
  const table = renderTable(['kind', 'target', 'requests', 'at least', 'at most', 'notes'], rows);
  const more = groups.slice(MAX_CRAWLS).flat().length;
  const rest = more > 0 ? [`… and ${pluralize(more, 'crawl')} more`] : [];
  return [table, ...rest, '', ...formatForecast(report), ...describeMissing(plans)].join('\n');
}

/** The plans one by one, but for accounts of which nothing is known: those of a kind are together. */
function groupUnknownAccounts(plans: readonly CrawlPlan[]): CrawlPlan[][] {
  const groups = new Map<string, CrawlPlan[]>();
  for (const [i, plan] of plans.entries()) {
    const isUnknown = plan.requests.expected === null && plan.missing.some(({ fact }) => fact === 'profile');
    const key = isUnknown && plan.resumedCrawlId === undefined ? plan.spec.kind : String(i);
    groups.set(key, [...(groups.get(key) ?? []), plan]);
  }
  return [...groups.values()];
}

function formatRow(group: readonly CrawlPlan[]) {
  const [{ spec, accounts, resumedCrawlId }] = group as [CrawlPlan];
  const { min, expected, max } = sumEstimates(group.map(({ requests }) => requests));
  const notes = [
    resumedCrawlId === undefined ? '' : `resumes crawl ${resumedCrawlId}`,
    accounts === undefined || group.length > 1 ? '' : `${formatEstimate(accounts)} accounts`,
  ];
  return [
    spec.kind,
    group.length > 1 ? `${formatCount(group.length)} unknown accounts` : formatTarget(spec),
    expected ?? 'unknown',
    min,
    max,
    notes.filter(Boolean).join('; '),
  ];
}

/** The total, the share of the quota and the finish time, in a few sentences. */
export function formatForecast(report: PlanReport): string[] {
  const { outlook, now, maxRequests, totals } = report;
  const { requests } = totals;
  const known = requests.expected ?? requests.min;
  const stops =
    maxRequests !== undefined && known > maxRequests
      ? [`Stops after ${pluralize(maxRequests, 'request')} (--max-requests), and is partial then.`]
      : [];
  const total = `Total: ${formatRequests(requests)}`;
  if (outlook === undefined) return [`${total}. The quota is unknown.`, ...stops];
  const { min, expected, max } = forecastRequests(report);
  const shown = expected ?? min;
  const isLeast = requests.expected === null;
  const share = formatPercent(known / outlook.limit);
  const quota = `the quota of ${pluralize(outlook.limit, 'request')} per window`;
  const least = isLeast ? 'at least ' : '';
  // At least less than one percent says nothing.
  const part = isLeast && share.startsWith('<') ? '' : `, ${least}${share}`;
  const lines = [`${total}${part} of ${quota}.`];
  if (shown === undefined)
    return [...lines, 'No request may be sent: the reserve is the whole quota. Lower TRAWL_RESERVE.'];
  const pauses =
    shown.waits === 0 ? ', without a pause' : `, with ${least}${pluralize(shown.waits, 'pause')} for quota`;
  const range = max !== undefined && max.windows > shown.windows ? `, at most ${pluralize(max.windows, 'window')}` : '';
  const perWindow =
    pluralize(computeRequestsPerWindow(outlook), 'usable request') + (shown.windows === 1 ? '' : ' each');
  return [
    ...lines,
    `Takes ${least}${pluralize(shown.windows, 'window')} of ${perWindow}${range}${isLeast && shown.waits === 0 ? '' : pauses}.`,
    ...describeFinish(shown, { most: isLeast ? max : shown, now }),
    ...stops,
  ];
}

function describeMissing(plans: readonly CrawlPlan[]): string[] {
  const targets = new Map<string, { readonly fact: MissingFact; readonly names: Set<string> }>();
  for (const fact of plans.flatMap(({ missing }) => missing)) {
    const key = `${fact.spec.kind} ${fact.fact}`;
    const { names } = targets.get(key) ?? { names: new Set<string>() };
    targets.set(key, { fact, names: names.add(formatTarget(fact.spec)) });
  }
  if (targets.size === 0) return [];
  const facts = [...targets.values()].map(({ fact: { fact, spec }, names }) => {
    const { scope, description } = FACTS[fact];
    const who = names.size === 1 ? ` ${formatTarget(spec)}` : `, ${formatCount(names.size)} targets`;
    return `  ${spec.kind}${scope === 'target' ? who : ''}: ${description}`;
  });
  return ['', 'Unknown:', ...facts];
}

/**
 * Asks for a confirmation of crawls that are expected to take more than one quota window, or more than their budget.
 * @throws UsageError without a terminal, or if the answer is no.
 */
export async function confirmPlan(
  report: PlanReport,
  { yes }: { readonly yes?: true },
  signal?: AbortSignal,
): Promise<void> {
  const limit = yes ? undefined : findExceededLimit(report);
  if (limit === undefined) return;
  const plan = formatForecast(report).join('\n  ');
  requireTerminal(
    `this takes more than ${limit}`,
    `${plan}\n  Nothing was started. --yes starts it; ${hint('plan')} prints the whole plan.`,
  );
  printNote(plan);
  if (await askYes('Start?', signal)) return;
  throw new UsageError('nothing was started', { hint: '--max-pages and --since reduce the number of requests.' });
}

/** The limit that the crawls are expected to exceed. */
function findExceededLimit({ totals, outlook, maxRequests }: PlanReport): string | undefined {
  const requests = totals.requests.expected ?? totals.requests.min;
  if (maxRequests !== undefined) return requests > maxRequests ? `--max-requests ${maxRequests}` : undefined;
  return outlook !== undefined && requests > computeRequestsPerWindow(outlook) ? 'one quota window' : undefined;
}

const UNKNOWN_REQUESTS = 'the number of requests is unknown';

/**
 * Describes the finish time: one figure, or what is known of it and the reason.
 * @param context.most the forecast of the highest number of requests; undefined if there is none
 */
function describeFinish(
  { finishAt, earliestAt }: Forecast,
  { most, now }: { readonly most: Forecast | undefined; readonly now: number },
): string[] {
  const at = (time: number): string => `${formatDuration(Math.max(SECOND, time - now))} (${formatSecond(time)})`;
  const latestAt = most?.finishAt;
  if (finishAt !== undefined && finishAt === latestAt) return [`Finish: in about ${at(finishAt)}.`];
  if (earliestAt === undefined)
    return ['Finish: unknown, because token-info has not shown the length of the window of this key.'];
  const earliest = `Earliest finish: in ${at(earliestAt)}`;
  if (latestAt !== undefined)
    return [`${earliest}, latest: in ${at(latestAt)}.`, `A range, because ${UNKNOWN_REQUESTS}.`];
  const reason = most === undefined ? UNKNOWN_REQUESTS : 'the window may be longer than token-info shows';
  return [`${earliest}; the latest is unknown, because ${reason}.`];
}
