import type { Attribution } from '../../analysis/crawls/attributions.ts';
import { answerQuota, computeSampledQuota } from '../../analysis/status/quota-answer.ts';
import { UsageError } from '../../base/errors.ts';
import { createClient } from '../../service/client/client.ts';
import { getConfig } from '../context.ts';
import { requireService } from '../shared/common-options.ts';
import { formatCount, formatDuration, formatSecond, pluralize, print, printJson } from '../terminal/print.ts';
import { printUsage, type UsageOptions } from './usage-report.ts';

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
