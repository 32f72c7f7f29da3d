import { existsSync } from 'node:fs';
import { desc, sql } from 'drizzle-orm';
import { createClient } from '../../client/client.ts';
import type { Config } from '../../config.ts';
import { type QuotaSample, computeReserve } from '../../quota/policy.ts';
import { type ByPriority, mapPriorities, computeHeadrooms } from '../../quota/priorities.ts';
import { requests } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { print } from '../shared/common-options.ts';
import { readStore } from '../shared/existing-store.ts';
import { formatCount, pluralize, formatDuration } from '../terminal/format.ts';
import { renderTable } from '../terminal/table.ts';
import { formatAgo, toIso } from '../terminal/times.ts';

export interface QuotaReportOptions extends Pick<Config, 'method' | 'reserve' | 'headroomShares'> {
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly db: string;
  readonly json: boolean;
}

/** The latest requests in the store of one endpoint. */
interface EndpointUsage {
  readonly endpoint: string;
  readonly requests: number;
  readonly lastAt: number;
  /** Null if the last one got no response. */
  readonly lastStatus: number | null;
}

const LATEST = 1000;

/** Requests token-info, and prints the remaining quota by class. */
export async function printQuota(options: QuotaReportOptions): Promise<void> {
  const { apiUrl, apiKey, method, reserve, headroomShares, db, json } = options;
  await using client = createClient({ baseUrl: apiUrl, apiKey, method });
  const sample = await client.tokenInfo();
  const spent = existsSync(db) ? await readStore(db, readEndpointUsage) : [];
  const kept = computeReserve(sample.limit, reserve);
  const headrooms = computeHeadrooms(sample.limit, reserve, headroomShares);
  if (json) print(JSON.stringify(toQuotaJson(sample, kept, headrooms, spent), null, 2));
  else print(formatQuota(sample, kept, headrooms, spent));
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

function toQuotaJson(
  { limit, remaining, resetAt, at }: QuotaSample,
  reserve: number,
  headrooms: ByPriority<number>,
  spent: readonly EndpointUsage[],
) {
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
    requests: spent.map(({ lastAt, ...rest }) => ({ ...rest, lastAt: toIso(lastAt) })),
  };
}

function formatQuota(
  { limit, remaining, resetAt, at }: QuotaSample,
  reserve: number,
  headrooms: ByPriority<number>,
  spent: readonly EndpointUsage[],
): string {
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
  if (spent.length > 0) {
    const sent = spent.reduce((sum, each) => sum + each.requests, 0);
    const rows = spent.map((each) => [
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
