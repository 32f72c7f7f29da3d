import type { Estimate } from '../../kinds/crawl-spec.ts';
import { formatTarget } from '../../kinds/target.ts';
import type { CrawlPlan, MissingFact } from '../../planning/plan.ts';
import { sumRequests } from '../../planning/plan.ts';
import {
  type Forecast,
  forecastFinish,
  type QuotaOutlook,
  computeRequestsPerWindow,
} from '../../quota/estimation/forecast.ts';
import { formatCount, formatPercent, pluralize } from '../terminal/format.ts';
import { renderTable } from '../terminal/table.ts';
import { toIso } from '../terminal/times.ts';
import { describeFinish, toWindowJson } from './window-report.ts';

/** Plans of crawls, with the facts that a report needs. */
export interface PlanReport {
  readonly plans: readonly CrawlPlan[];
  readonly outlook: QuotaOutlook | undefined;
  /** The mean time of a request in milliseconds; undefined if unknown. */
  readonly requestMs: number | undefined;
  readonly concurrency: number;
  readonly now: number;
  /** The budget of all crawls together. */
  readonly maxRequests?: number | undefined;
}

/** Formats an estimate: `12`, `12 (10 to 15)`, `10 to 15`, `at least 10`. */
function formatEstimate({ min, expected, max }: Estimate): string {
  if (min === max) return formatCount(min);
  const range = max === null ? `at least ${formatCount(min)}` : `${formatCount(min)} to ${formatCount(max)}`;
  return expected === null ? range : `${formatCount(expected)} (${range})`;
}

/** Formats an estimate of requests: `at least 1 request`. */
export const formatRequests = (guess: Estimate): string =>
  `${formatEstimate(guess)} ${guess.min === 1 && (guess.max ?? 1) === 1 && (guess.expected ?? 1) === 1 ? 'request' : 'requests'}`;

const FACTS: Readonly<Record<MissingFact['fact'], string>> = {
  profile: 'the profile, with its counts',
  items: 'the number of items',
  share: "the share of an account's tweets that its timeline shows: no timeline was crawled to its end",
  pageSize: 'the page size of the service',
  isPaged: 'whether there is more than one page',
  children: 'the cost of such a crawl for one account',
  halves: 'how often a window is bisected',
  overlap: 'the number of accounts that the lists share',
};

/** Whether a fact belongs to a target or to a kind. */
const FACT_SCOPE: Readonly<Record<MissingFact['fact'], 'target' | 'kind'>> = {
  profile: 'target',
  items: 'target',
  share: 'kind',
  pageSize: 'kind',
  isPaged: 'kind',
  children: 'kind',
  overlap: 'kind',
  halves: 'kind',
};

interface RequestForecasts {
  readonly requests: Estimate;
  readonly least: Forecast | undefined;
  readonly likely: Forecast | undefined;
  readonly most: Forecast | undefined;
}

function forecastRequests(planned: PlanReport): RequestForecasts {
  const { plans, outlook, requestMs, concurrency, now } = planned;
  const requests = sumRequests(plans);
  const work = (n: number): number => workMs(n, plans, requestMs ?? 0, concurrency);
  const look = (n: number | null): Forecast | undefined =>
    n === null || outlook === undefined ? undefined : forecastFinish(n, outlook, now, work);
  return { requests, least: look(requests.min), likely: look(requests.expected), most: look(requests.max) };
}

/** The time of the work without pauses, in ms: the pages of a crawl are sequential, crawls are concurrent. */
function workMs(requests: number, plans: readonly CrawlPlan[], pace: number, concurrency: number): number {
  const longest = Math.max(0, ...plans.map(({ ownRequests }) => ownRequests.expected ?? ownRequests.min));
  const atOnce = plans.some(({ accounts }) => accounts !== undefined)
    ? concurrency
    : Math.min(concurrency, plans.length);
  return pace * Math.max(Math.min(longest, requests), Math.ceil(requests / Math.max(1, atOnce)));
}

const windowsOf = (one: Forecast | undefined): number | null => one?.windows ?? null;
const timesOf = (one: Forecast | undefined) => ({
  finishAt: toIso(one?.finishAt),
  earliestFinishAt: toIso(one?.earliestAt),
  latestFinishAt: toIso(one?.latestAt),
});

/** An estimate with the keys of `--json`. */
const toJson = ({ min, expected, max }: Estimate) => ({ least: min, likely: expected, most: max });

/**
 * The document of `--json`. `requests`, `windows` and the times are expected values, null if unknown; `finishAt` is null
 * if only a range is known.
 */
export function toPlanJson(planned: PlanReport) {
  const { plans, outlook } = planned;
  const { requests, least, likely, most } = forecastRequests(planned);
  const share = (n: number | null): number | null => (n === null || outlook === undefined ? null : n / outlook.limit);
  return {
    requests: requests.expected,
    windows: windowsOf(likely),
    ...timesOf(likely),
    share: share(requests.expected),
    least: {
      requests: requests.min,
      windows: windowsOf(least),
      ...timesOf(least),
      share: share(requests.min),
    },
    most: { requests: requests.max, windows: windowsOf(most), ...timesOf(most), share: share(requests.max) },
    quota: outlook
      ? {
          limit: outlook.limit,
          remaining: outlook.remaining,
          floor: outlook.headroom,
          perWindow: computeRequestsPerWindow(outlook),
          resetAt: toIso(outlook.resetAt),
          windowMs: outlook.window.provenMs ?? null,
          window: toWindowJson(outlook.window),
        }
      : null,
    maxRequests: planned.maxRequests ?? null,
    missing: plans.flatMap(({ missing }) =>
      missing.map(({ fact, spec, probe }) => ({
        ...{ fact, kind: spec.kind, target: spec.target, says: FACTS[fact] },
        probe:
          probe === undefined
            ? null
            : { kind: probe.kind, target: probe.target, options: JSON.parse(probe.options) as unknown },
      })),
    ),
    crawls: plans.map(({ spec, ownRequests, requests: all, accounts, resumedCrawlId }) => ({
      ...{
        kind: spec.kind,
        target: spec.target,
        options: JSON.parse(spec.options) as unknown,
        goesOn: resumedCrawlId ?? null,
      },
      ...{ requests: all.expected, least: all.min, most: all.max },
      own: toJson(ownRequests),
      accounts: accounts === undefined ? null : toJson(accounts),
    })),
  };
}

/** The maximum number of listed crawls and missing facts. */
const MAX_CRAWLS = 40;
const MAX_FACTS = 8;

export function formatPlan(planned: PlanReport): string {
  const { plans } = planned;
  if (plans.length === 0) return 'no targets: nothing to plan';
  const rows = plans
    .slice(0, MAX_CRAWLS)
    .map(({ spec, requests, accounts, resumedCrawlId }) => [
      spec.kind,
      formatTarget(spec),
      ...[requests.expected, requests.min, requests.max].map((n) => (n === null ? '?' : formatCount(n))),
      [
        resumedCrawlId === undefined ? '' : `resumes crawl ${resumedCrawlId}`,
        accounts === undefined ? '' : `${formatEstimate(accounts)} accounts`,
      ]
        .filter(Boolean)
        .join('; '),
    ]);
  const table = renderTable(['kind', 'target', 'requests', 'at least', 'at most', 'notes'], rows, { right: [2, 3, 4] });
  const more = plans.length > MAX_CRAWLS ? [`… and ${pluralize(plans.length - MAX_CRAWLS, 'crawl')} more`] : [];
  return [table, ...more, '', ...formatForecast(planned), ...missingInWords(plans)].join('\n');
}

/** The total, the share of the quota and the finish time, in a few sentences. */
export function formatForecast(planned: PlanReport): string[] {
  const { outlook, now } = planned;
  const { requests, least, likely, most } = forecastRequests(planned);
  const { maxRequests } = planned;
  const stops =
    maxRequests !== undefined && (requests.expected ?? requests.min) > maxRequests
      ? [`Stops after ${pluralize(maxRequests, 'request')} (--max-requests), and is partial then.`]
      : [];
  const total = `Total: ${formatRequests(requests)}`;
  if (outlook === undefined) return [`${total}. The quota is unknown.`, ...stops];
  const known = requests.expected ?? requests.min;
  const share = formatPercent(known / outlook.limit);
  const may = computeRequestsPerWindow(outlook);
  const lines = [
    `${total}, ${requests.expected === null && !share.startsWith('<') ? 'at least ' : ''}${share} of the quota of ${pluralize(outlook.limit, 'request')} per window.`,
  ];
  const shown = likely ?? least;
  const atLeast = likely === undefined ? 'at least ' : '';
  if (shown === undefined)
    return [...lines, 'No request may be sent: the reserve is the whole quota. Lower TRAWL_RESERVE.'];
  const wait = shown.waits === 0 ? 'without a pause' : `with ${pluralize(shown.waits, 'pause')} for quota`;
  const range = most !== undefined && most.windows > shown.windows ? `, at most ${formatCount(most.windows)}` : '';
  lines.push(
    `Takes ${atLeast}${pluralize(shown.windows, 'window')}${range} of ${pluralize(may, 'usable request')}, ${wait}.`,
  );
  lines.push(...describeFinish(shown, { isLeast: likely === undefined, window: outlook.window, now }));
  return [...lines, ...stops];
}

function missingInWords(plans: readonly CrawlPlan[]): string[] {
  const lines = new Map<string, number>();
  let probes = false;
  for (const { missing } of plans) {
    for (const { fact, spec, probe } of missing) {
      probes ||= probe !== undefined;
      const of = FACT_SCOPE[fact] === 'target' ? `${spec.kind} ${formatTarget(spec)}` : spec.kind;
      const line = `  ${of}: ${FACTS[fact]}`;
      lines.set(line, (lines.get(line) ?? 0) + 1);
    }
  }
  if (lines.size === 0) return [];
  const facts = [...lines.keys()];
  return [
    '',
    `Unknown${probes ? ' (--probe fetches what a request can show)' : ''}:`,
    ...facts.slice(0, MAX_FACTS),
    ...(facts.length > MAX_FACTS ? [`  … and ${formatCount(facts.length - MAX_FACTS)} more`] : []),
  ];
}
