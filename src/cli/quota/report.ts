import { existsSync } from 'node:fs';
import { desc, sql } from 'drizzle-orm';
import { createClient } from '../../client/client.ts';
import { type QuotaSample, computeReserve } from '../../quota/policy.ts';
import { type ByPriority, mapPriorities, computeHeadrooms } from '../../quota/priorities.ts';
import { requests } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { getConfig } from '../context.ts';
import { type CommonOptions, requireService } from '../shared/common-options.ts';
import { readStore } from '../shared/existing-store.ts';
import { formatCount, pluralize, formatDuration } from '../terminal/format.ts';
import { print, printJson } from '../terminal/output.ts';
import { renderTable } from '../terminal/table.ts';
import { formatAgo, toIso } from '../terminal/times.ts';

/** The latest requests in the store of one endpoint. */
interface EndpointUsage {
  readonly endpoint: string;
  readonly requests: number;
  readonly lastAt: number;
  /** Null if the last one got no response. */
  readonly lastStatus: number | null;
}

const LATEST = 1000;

/** Requests token-info, and prints the remaining quota by priority. */
export async function printQuota({ db, json }: CommonOptions): Promise<void> {
  const config = getConfig();
  const { apiUrl, apiKey } = requireService(config);
  await using client = createClient({ baseUrl: apiUrl, apiKey, method: config.method });
  const sample = await client.tokenInfo();
  const report = {
    sample,
    reserve: computeReserve(sample.limit, config.reserve),
    headrooms: computeHeadrooms(sample.limit, config.reserve, config.headroomShares),
    usage: existsSync(db) ? await readStore(db, readEndpointUsage) : [],
  };
  if (json) printJson(toQuotaJson(report));
  else print(formatQuota(report));
}

interface QuotaReport {
  readonly sample: QuotaSample;
  readonly reserve: number;
  readonly headrooms: ByPriority<number>;
  readonly usage: readonly EndpointUsage[];
}

/** Reads the latest requests in the store, by endpoint. */
function readEndpointUsage(db: Db): EndpointUsage[] {
  const latest = db.select().from(requests).orderBy(desc(requests.id)).limit(LATEST).as('latest');
  return db
    .select({
      endpoint: latest.endpoint,
      requests: sql<number>`count(*)`,
      // With a lone max(), SQLite takes the bare columns from the row that has it.
      lastAt: sql<number>`max(${latest.sentAt})`,
      lastStatus: latest.status,
    })
    .from(latest)
    .groupBy(latest.endpoint)
    .orderBy(sql`count(*) desc`, latest.endpoint)
    .all();
}

function toQuotaJson({ sample, reserve, headrooms, usage }: QuotaReport) {
  const { limit, remaining, resetAt, at } = sample;
  const priorities = mapPriorities((one) => ({
    headroom: headrooms[one],
    spendable: Math.max(0, remaining - headrooms[one]),
  }));
  return {
    limit,
    remaining,
    reserve,
    spendable: priorities.interactive.spendable,
    priorities,
    resetAt: toIso(resetAt),
    sampledAt: toIso(at),
    requests: usage.map(({ lastAt, ...rest }) => ({ ...rest, lastAt: toIso(lastAt) })),
  };
}

function formatQuota({ sample, reserve, headrooms, usage }: QuotaReport): string {
  const { limit, remaining, resetAt, at } = sample;
  const left = Math.max(0, remaining - headrooms.interactive);
  const scheduled = pluralize(Math.max(0, remaining - headrooms.scheduled), 'request');
  const backfill = formatCount(Math.max(0, remaining - headrooms.backfill));
  const lines = [
    `limit      ${pluralize(limit, 'request')}`,
    `remaining  ${formatCount(remaining)}`,
    `reserve    ${formatCount(reserve)}`,
    `resets     ${resetAt === undefined ? 'unknown: the service does not report it' : describeReset(resetAt, at, remaining >= limit)}`,
    '',
    left > 0
      ? `${pluralize(left, 'request')} may be sent before trawl pauses.`
      : `No request may be sent now: trawl pauses until more than the reserve of ${pluralize(reserve, 'request')} is left.`,
    ...(left > 0 ? [`Scheduled crawls may send ${scheduled} of them, backfills ${backfill}.`] : []),
  ];
  if (usage.length > 0) {
    const sent = usage.reduce((sum, each) => sum + each.requests, 0);
    const rows = usage.map((each) => [
      each.endpoint,
      formatCount(each.requests),
      formatAgo(each.lastAt, at),
      String(each.lastStatus ?? 'no response'),
    ]);
    lines.push(
      '',
      `The last ${pluralize(sent, 'request')} in the store:`,
      renderTable(['endpoint', 'requests', 'last', 'status'], rows, { right: [1] }),
    );
  }
  return lines.join('\n');
}

function describeReset(time: number, now: number, unused: boolean): string {
  if (time > now) return `in ${formatDuration(time - now)} (${toIso(time)})`;
  return unused ? 'nothing is used now' : `at ${toIso(time)}, which is in the past`;
}
