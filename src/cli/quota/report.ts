import type { Attribution } from '#analysis/crawls/attributions.ts';
import { readCrawls } from '#analysis/crawls/crawl-list.ts';
import { type RequestUsage, readUsage, countUnknownRequests } from '#analysis/crawls/throughput.ts';
import { answerQuota, computeSampledQuota } from '#analysis/status/quota-answer.ts';
import { UsageError } from '#base/errors.ts';
import { getConfig } from '#cli/context.ts';
import { requireService, type CommonOptions } from '#cli/shared/common-options.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import {
  formatCount,
  formatDuration,
  formatSecond,
  pluralize,
  print,
  printJson,
  formatPercent,
  formatBytes,
  printNote,
  renderTable,
} from '#cli/terminal/print.ts';
import { createClient } from '#service/client/client.ts';
import { formatTarget } from '#service/kinds/target.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { Db } from '#store/sqlite/database.ts';

interface QuotaOptions extends UsageOptions {
  readonly by?: Attribution;
}

/** `trawl quota`: prints the recorded requests with --by, otherwise the remaining quota. */
export async function runQuota({ by, ...options }: QuotaOptions): Promise<void> {
  if (by !== undefined) return await printUsage(by, options);
  if ((options.seenSince ?? options.limit) !== undefined)
    throw new UsageError('--seen-since and --limit need --by', { hint: 'Add --by, such as --by crawl.' });
  await printQuota(options.json);
}

/** Requests token-info, and prints the remaining quota by priority. */
async function printQuota(json: true | undefined): Promise<void> {
  const config = getConfig();
  const { apiUrl, apiKey } = requireService(config);
  await using client = createClient({ baseUrl: apiUrl, apiKey, method: config.method });
  const sample = await client.tokenInfo();
  const { limit, remaining, resetAt, at } = sample;
  const answer = answerQuota(computeSampledQuota(sample, config), at);
  const { interactive, scheduled, backfill } = answer.priorities;
  if (json) return printJson({ ...answer, remaining, spendable: interactive.spendable });
  const reserve = answer.reserve ?? 0;
  const isUnused = remaining >= limit;
  print(`limit      ${pluralize(limit, 'request')}
remaining  ${formatCount(remaining)}
reserve    ${formatCount(reserve)}
resets     ${resetAt === undefined ? 'unknown: the service does not report it' : describeReset(resetAt, at, isUnused)}

${
  interactive.spendable > 0
    ? `${pluralize(interactive.spendable, 'request')} may be sent before trawl pauses.
Scheduled crawls may send ${pluralize(scheduled.spendable, 'request')} of them, backfills ${formatCount(backfill.spendable)}.`
    : `No request may be sent now: trawl pauses until more than the reserve of ${pluralize(reserve, 'request')} is left.`
}`);
}

function describeReset(time: number, now: number, unused: boolean): string {
  if (time > now) return `in ${formatDuration(time - now)} (${formatSecond(time)})`;
  return unused ? 'nothing is used now' : `at ${formatSecond(time)}, which is in the past`;
}

interface UsageOptions extends CommonOptions {
  /** Only requests since then, in milliseconds UTC. */
  readonly seenSince?: number;
  readonly limit?: number;
}

const ROWS = 20;

/** Prints the recorded requests by group, with the requests per new or changed row. */
async function printUsage(by: Attribution, options: UsageOptions): Promise<void> {
  const { db: path, json, seenSince: since, limit = ROWS } = options;
  const isDated = by === 'day' || since !== undefined;
  const usage = await readStore(path, (db): ShownUsage => {
    const all = readUsage(db, by, since);
    const shown = all.slice(0, limit);
    const undated = isDated ? countUnknownRequests(db) : null;
    const others = all.length > limit ? sumUsage(all.slice(limit)) : null;
    return { by, all, shown, others, total: sumUsage(all), names: readNames(db, by, shown), undated };
  });
  if (json) return printJson({ by, seenSince: since ?? null, ...toUsageJson(usage) });
  if (usage.all.length === 0) return printNote('no requests');
  print(renderUsage(usage));
  const byKilled = 'that killed workers sent without a record';
  const { total, undated } = usage;
  if (total.unknownRequests) print(`\nunknown: the maximum number of requests ${byKilled}`);
  if (undated) print(`\nnot included: at most ${pluralize(undated, 'request')} ${byKilled}, at an unknown time`);
}

/** The groups of requests, the sum of all, and that of the groups that are not shown. */
interface ShownUsage {
  readonly by: Attribution;
  readonly all: readonly RequestUsage[];
  readonly shown: readonly RequestUsage[];
  readonly others: Figures | null;
  readonly total: Figures;
  readonly names: CrawlNames;
  /** The requests of the whole store whose time is unknown. */
  readonly undated: number | null;
}

function toUsageJson({ by, shown, others, total, names, undated }: ShownUsage) {
  const figures = (one: Figures) => ({
    ...one,
    share: total.requests === 0 ? null : one.requests / total.requests,
    requestsPerNewItem: one.newItems === 0 ? null : one.requests / one.newItems,
    requestsPerNewOrChanged: computeCost(one),
  });
  return {
    total: figures(total),
    undatedUnknownRequests: undated,
    rows: shown.map(({ key, ...one }) => ({
      [by]: key,
      ...(by === 'crawl' ? (names.get(key) ?? NO_NAME) : {}),
      ...figures(one),
    })),
    others: others && figures(others),
  };
}

function renderUsage({ by, all, shown, others, total, names }: ShownUsage): string {
  const hasUnknown = (total.unknownRequests ?? 0) > 0;
  const hasNotFound = total.notFound > 0;
  const format = (label: readonly string[], one: Figures) => [
    ...label,
    one.crawls,
    one.requests,
    ...(hasUnknown ? [one.unknownRequests ? `+ ${formatCount(one.unknownRequests)}` : ''] : []),
    formatPercent(one.requests / total.requests),
    one.failed,
    ...(hasNotFound ? [one.notFound] : []),
    formatBytes(one.bytes),
    one.newItems,
    one.changes,
    formatCost(one),
  ];
  const head = by === 'crawl' ? ['crawl', 'kind', 'target'] : [by];
  const blank = head.slice(1).map(() => '');
  const counted = ['crawls', 'requests', ...(hasUnknown ? ['unknown'] : []), 'share', 'failed'];
  const columns = [...head, ...counted, ...(hasNotFound ? ['not found'] : []), 'bytes', 'new rows', 'changes'];
  return renderTable(
    [...columns, 'requests per row'],
    [
      ...shown.map((one) => format(formatLabel(by, one, names), one)),
      ...(others ? [format([pluralize(all.length - shown.length, 'other'), ...blank], others)] : []),
      ...(all.length > 1 ? [format(['total', ...blank], total)] : []),
    ],
  );
}

type Figures = Pick<
  RequestUsage,
  'crawls' | 'requests' | 'unknownRequests' | 'failed' | 'notFound' | 'bytes' | 'newItems' | 'changes'
>;

/** Kind and target of a crawl. */
type CrawlName = Pick<CrawlRow, 'kind' | 'target' | 'handle'>;
type CrawlNames = ReadonlyMap<RequestUsage['key'], CrawlName>;

const NO_NAME = { kind: null, target: null, handle: null };

/** The names of the crawls that are shown; those of all would take longer than the sums. */
function readNames(db: Db, by: Attribution, shown: readonly RequestUsage[]): CrawlNames {
  if (by !== 'crawl') return new Map();
  const ids = shown.flatMap(({ key }) => (typeof key === 'number' ? [key] : []));
  return new Map(readCrawls(db, ids).map(({ id, kind, target, handle }) => [id, { kind, target, handle }]));
}

function formatLabel(by: Attribution, { key }: RequestUsage, names: CrawlNames): string[] {
  if (by !== 'crawl') return [String(key ?? (by === 'job' ? 'no job' : 'unknown'))];
  const name = names.get(key);
  return [String(key), name?.kind ?? '', name ? formatTarget(name) : ''];
}

const NO_FIGURES: Figures = {
  crawls: 0,
  requests: 0,
  unknownRequests: null,
  failed: 0,
  notFound: 0,
  bytes: 0,
  newItems: 0,
  changes: 0,
};

/** A crawl with requests on two days is counted for both. A number that is unknown of all is null. */
function sumUsage(all: readonly Figures[]): Figures {
  const names = Object.keys(NO_FIGURES) as (keyof Figures)[];
  const add = (sum: Figures, one: Figures): Figures =>
    Object.fromEntries(names.map((name) => [name, one[name] === null ? sum[name] : sum[name]! + one[name]])) as never;
  return all.reduce(add, NO_FIGURES);
}

/** Requests per new or changed row; null without such rows. */
const computeCost = ({ requests, newItems, changes }: Figures): number | null =>
  newItems + changes === 0 ? null : requests / (newItems + changes);

function formatCost(one: Figures): string {
  const cost = computeCost(one);
  if (cost === null) return 'no rows';
  if (cost < 0.001) return '< 0.001';
  return cost < 10 ? cost.toPrecision(2) : formatCount(Math.round(cost));
}
