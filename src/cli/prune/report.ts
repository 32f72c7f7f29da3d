import type { PrunePreview } from '../../store/retention/preview-prune.ts';
import type { PruneCounts, PruneRequest } from '../../store/retention/prune-request.ts';
import { formatBytes, formatMinute, pluralize, renderTable, toIso } from '../terminal/print.ts';

/** A request, and what it removes or has removed. */
export interface PruneOutcome<Counts extends PruneCounts> {
  readonly request: PruneRequest;
  readonly counts: Counts;
}

/** The document of a request. */
export const toOutcomeJson = ({ request, counts }: PruneOutcome<PruneCounts | PrunePreview>) => ({
  scope: request.scope,
  job: request.jobName ?? null,
  accounts: request.accountRestIds ?? null,
  olderThan: toIso(request.olderThan),
  isRetention: request.isRetention ?? false,
  ...counts,
});

/** What a request would remove, as a table. */
export function describePreview({ request, counts }: PruneOutcome<PrunePreview>): string {
  const { sharedTweets } = counts;
  return [
    `Would delete ${describeRequest(request)}:`,
    describeCounts(counts),
    ...(request.scope === 'job' ? ['and the accounts without any remaining reference'] : []),
    ...(sharedTweets === undefined || sharedTweets === 0
      ? []
      : [
          `${pluralize(sharedTweets, 'tweet')} of its lists ${sharedTweets === 1 ? 'stays' : 'stay'}: other crawls show them, too`,
        ]),
  ].join('\n');
}

/** What a request has removed, as a table. */
export const describeResult = ({ request, counts }: PruneOutcome<PruneCounts>): string =>
  `Deleted ${describeRequest(request)}:\n${describeCounts(counts)}`;

/** `tweets written before 2025-01-31 00:00 that only the job news brought`. */
function describeRequest({ scope, jobName, accountRestIds, olderThan, isRetention }: PruneRequest): string {
  const before = olderThan === null ? '' : ` before ${formatMinute(olderThan)}`;
  const accounts = accountRestIds === undefined ? '' : ` of ${pluralize(accountRestIds.length, 'account')}`;
  const by = isRetention ? ' (its retention)' : '';
  const what = {
    bodies: `bodies${accounts} fetched${before}`,
    tweets: `tweets${accounts} written${before}, and the bodies that show them`,
    job: `bodies, tweets, follows and accounts${before === '' ? '' : ` from${before}`}`,
  }[scope];
  return `${what}${jobName === undefined ? '' : `, of the job ${jobName} alone`}${by}`;
}

function describeCounts({ rows, bodyBytes }: PruneCounts): string {
  const tables = Object.entries(rows);
  if (tables.length === 0) return '  nothing';
  return renderTable(
    ['table', 'rows', 'size'],
    tables.map(([table, count]) => [table, count, table === 'raw_pages' ? `${formatBytes(bodyBytes)} of bodies` : '']),
  );
}
