import { formatTarget } from '../../kinds/target.ts';
import type { CrawlPlan, MissingFact } from '../../planning/plan.ts';
import { sumRequests } from '../../planning/plan.ts';
import {
  type Forecast,
  forecastFinish,
  type QuotaOutlook,
  computeRequestsPerWindow,
} from '../../quota/estimation/forecast.ts';
import type { Estimate } from '../../store/schema/messages.ts';
import { formatCount, formatPercent, pluralize } from '../terminal/format.ts';
import { renderTable } from '../terminal/table.ts';
import { toIso } from '../terminal/times.ts';
import { describeFinish, toWindowJson } from './window-report.ts';

/** Plans as people read them, and as programs do. */

/** A plan, and what it is reckoned with. */
export interface PlanReport {
  readonly plans: readonly CrawlPlan[];
  readonly outlook: QuotaOutlook | undefined;
  /** What one request takes, in milliseconds, as far as that was seen. */
  readonly requestMs: number | undefined;
  readonly concurrency: number;
  readonly now: number;
  /** What the crawls may send in all. */
  readonly maxRequests?: number | undefined;
}

/** Three numbers as one cell: `12`, `12 (10 to 15)`, `10 to 15`, `at least 10`. */
function guessInWords({ min, expected, max }: Estimate): string {
  if (min === max) return formatCount(min);
  const range = max === null ? `at least ${formatCount(min)}` : `${formatCount(min)} to ${formatCount(max)}`;
  return expected === null ? range : `${formatCount(expected)} (${range})`;
}

/** The same as so many requests: `at least 1 request`. */
export const formatRequests = (guess: Estimate): string =>
  `${guessInWords(guess)} ${guess.min === 1 && (guess.max ?? 1) === 1 && (guess.expected ?? 1) === 1 ? 'request' : 'requests'}`;

const FACTS: Readonly<Record<MissingFact['fact'], string>> = {
  profile: 'the profile, with its counts',
  items: 'how many items there are',
  share: "how many of an account's posts its timeline shows: no timeline was walked to its end",
  pageSize: 'how many items the service puts on a page',
  isPaged: 'whether there is more than one page',
  children: 'what such a crawl takes for one account',
  halves: 'how often a window is searched in halves',
  overlap: 'how many accounts the lists have in common',
};

/** What a fact is missing of. */
const ABOUT: Readonly<Record<MissingFact['fact'], 'target' | 'kind'>> = {
  profile: 'target',
  items: 'target',
  share: 'kind',
  pageSize: 'kind',
  isPaged: 'kind',
  children: 'kind',
  overlap: 'kind',
  halves: 'kind',
};

interface Ahead {
  readonly requests: Estimate;
  readonly least: Forecast | undefined;
  readonly likely: Forecast | undefined;
  readonly most: Forecast | undefined;
}

function ahead(planned: PlanReport): Ahead {
  const { plans, outlook, requestMs, concurrency, now } = planned;
  const requests = sumRequests(plans);
  const work = (n: number): number => workMs(n, plans, requestMs ?? 0, concurrency);
  const look = (n: number | null): Forecast | undefined =>
    n === null || outlook === undefined ? undefined : forecastFinish(n, outlook, now, work);
  return { requests, least: look(requests.min), likely: look(requests.expected), most: look(requests.max) };
}

/** A list is asked for page by page; crawls go on side by side. */
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
 * The document of `--json`. `requests`, `windows` and the times are what is likely, null where nothing says; `finishAt` is
 * null where only a range is known.
 */
export function toPlanJson(planned: PlanReport) {
  const { plans, outlook } = planned;
  const { requests, least, likely, most } = ahead(planned);
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

/** So many crawls are listed, and so many missing facts. */
const LISTED = 40;
const TOLD = 8;

export function formatPlan(planned: PlanReport): string {
  const { plans } = planned;
  if (plans.length === 0) return 'no target is named there: nothing to plan';
  const rows = plans
    .slice(0, LISTED)
    .map(({ spec, requests, accounts, resumedCrawlId }) => [
      spec.kind,
      formatTarget(spec),
      ...[requests.expected, requests.min, requests.max].map((n) => (n === null ? '?' : formatCount(n))),
      [
        resumedCrawlId === undefined ? '' : `goes on with crawl ${resumedCrawlId}`,
        accounts === undefined ? '' : `${guessInWords(accounts)} accounts`,
      ]
        .filter(Boolean)
        .join('; '),
    ]);
  const table = renderTable(['kind', 'target', 'requests', 'at least', 'at most', 'notes'], rows, { right: [2, 3, 4] });
  const more = plans.length > LISTED ? [`… and ${pluralize(plans.length - LISTED, 'crawl')} more`] : [];
  return [table, ...more, '', ...formatForecast(planned), ...missingInWords(plans)].join('\n');
}

/** What it comes to, in a few sentences; also what `trawl crawl` asks by. */
export function formatForecast(planned: PlanReport): string[] {
  const { outlook, now } = planned;
  const { requests, least, likely, most } = ahead(planned);
  const { maxRequests } = planned;
  const stops =
    maxRequests !== undefined && (requests.expected ?? requests.min) > maxRequests
      ? [`It stops after ${pluralize(maxRequests, 'request')} (--max-requests), and is partial then.`]
      : [];
  const total = `In all ${formatRequests(requests)}`;
  if (outlook === undefined) return [`${total}. The quota is not known.`, ...stops];
  const known = requests.expected ?? requests.min;
  const share = formatPercent(known / outlook.limit);
  const may = computeRequestsPerWindow(outlook);
  const lines = [
    `${total}: ${requests.expected === null && !share.startsWith('<') ? 'at least ' : ''}${share} of the window's ${pluralize(outlook.limit, 'request')}.`,
  ];
  const shown = likely ?? least;
  const atLeast = likely === undefined ? 'at least ' : '';
  if (shown === undefined)
    return [...lines, 'Nothing may be sent: the reserve is the whole quota. Lower TRAWL_RESERVE.'];
  const wait = shown.waits === 0 ? 'without a pause' : `with ${pluralize(shown.waits, 'pause')} for quota`;
  const range = most !== undefined && most.windows > shown.windows ? `, at most ${formatCount(most.windows)}` : '';
  lines.push(
    `It takes ${atLeast}${pluralize(shown.windows, 'window')}${range} of ${pluralize(may, 'request')} that may be sent, ${wait}.`,
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
      const of = ABOUT[fact] === 'target' ? `${spec.kind} ${formatTarget(spec)}` : spec.kind;
      const line = `  ${of}: ${FACTS[fact]}`;
      lines.set(line, (lines.get(line) ?? 0) + 1);
    }
  }
  if (lines.size === 0) return [];
  const told = [...lines.keys()];
  return [
    '',
    `Not known${probes ? ' (--probe finds out what a request can show)' : ''}:`,
    ...told.slice(0, TOLD),
    ...(told.length > TOLD ? [`  … and ${formatCount(told.length - TOLD)} more`] : []),
  ];
}
