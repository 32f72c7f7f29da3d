import { statSync } from 'node:fs';
import { measureStore } from '#analysis/disk-answer.ts';
import { systemClock } from '#base/clock.ts';
import { TrawlError, UsageError } from '#base/errors.ts';
import { findAccounts } from '#cli/export/accounts.ts';
import type { SelectionOptions } from '#cli/export/selection-options.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { openExistingDatabase, readStore } from '#cli/shared/existing-store.ts';
import { trapSignals } from '#cli/shared/signals.ts';
import { askYes, requireTerminal } from '#cli/terminal/ask.ts';
import { createProgressLine } from '#cli/terminal/output.ts';
import {
  formatBytes,
  formatCount,
  hint,
  print,
  printJson,
  printNote,
  formatMinute,
  pluralize,
  renderTable,
  toIso,
} from '#cli/terminal/print.ts';
import { listRetentionRequests } from '#ops/retention/retention-requests.ts';
import type { PruneCounts, PruneProgress, PruneRequest } from '#store/retention/prune-request.ts';
import { previewPrune, type PrunePreview, prune } from '#store/retention/prune.ts';
import { compactDatabase } from '#store/sqlite/compact.ts';
import type { Db } from '#store/sqlite/database.ts';
import { requireSpace } from '#store/sqlite/disk-space.ts';

export interface PruneCommandOptions extends CommonOptions {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly vacuum?: true;
}

interface ScopeOptions extends PruneCommandOptions, Pick<SelectionOptions, 'accounts' | 'fromFile' | 'panel'> {
  readonly olderThan: number;
  readonly job?: string;
}

export const pruneBodies = (options: ScopeOptions): Promise<void> =>
  runPrune(options, async (db) => [await createRequest(db, 'bodies', options)]);

export const pruneTweets = (options: ScopeOptions): Promise<void> =>
  runPrune(options, async (db) => [await createRequest(db, 'tweets', options)]);

export const pruneJob = (
  name: string,
  { olderThan = null, ...options }: PruneCommandOptions & { readonly olderThan?: number | null },
): Promise<void> =>
  runPrune(options, (db) => {
    requireJob(db, name);
    return [{ scope: 'job', jobName: name, olderThan }];
  });

/** Applies the retention of the scheduled jobs. */
export const pruneByRetention = (options: PruneCommandOptions): Promise<void> =>
  runPrune(options, (db) => {
    const requests = listRetentionRequests(db, systemClock.now());
    if (requests.length > 0) return requests;
    throw new UsageError('no scheduled job has a retention that trawl applies', {
      hint: 'A job file with `retention: { bodies: 30d, tweets: 180d }` has one. `trawl prune bodies`, `tweets` and `job` delete without one.',
    });
  });

async function createRequest(db: Db, scope: 'bodies' | 'tweets', options: ScopeOptions): Promise<PruneRequest> {
  const { olderThan, job: jobName } = options;
  const { restIds: accountRestIds } = await findAccounts(db, options);
  if (jobName !== undefined) requireJob(db, jobName);
  if (jobName !== undefined && accountRestIds !== undefined) throw new UsageError('--job takes the place of accounts');
  return { scope, olderThan, jobName, accountRestIds };
}

/** @throws UsageError if no run of the job is stored */
function requireJob(db: Db, name: string): void {
  const names = db.$client
    .prepare<[], string>('select distinct job_name from runs where job_name is not null order by 1')
    .pluck()
    .all();
  if (names.includes(name)) return;
  throw new UsageError(`the database has no run of a job ${name}`, {
    hint: names.length === 0 ? 'No job has run.' : `Jobs with runs: ${names.join(', ')}.`,
  });
}

/** Previews, confirms and runs prunes, and prints the result. */
async function runPrune(
  options: PruneCommandOptions,
  list: (db: Db) => PruneRequest[] | Promise<PruneRequest[]>,
): Promise<void> {
  const { db: path, json, dryRun, yes, vacuum } = options;
  using interruption = trapSignals('stopping after this batch: the next prune continues');
  const { signal } = interruption;
  const requests = await readStore(path, list);
  const withProgress = async <T>(run: (onProgress: (progress: PruneProgress) => void) => Promise<T>): Promise<T> => {
    using line = await createProgressLine();
    return await run(({ step, done, total }) =>
      line.show(`${step}: ${formatCount(done)}${total === null ? ' rows removed' : ` of ${formatCount(total)}`}`),
    );
  };
  const isAsked = !dryRun && !yes;
  if (isAsked) requireTerminal('this deletes data', '--dry-run counts what would be deleted; --yes deletes it.');
  if (dryRun || isAsked) {
    const previews = await readStore(path, (db) =>
      withProgress(async (onProgress) => {
        const found: PruneOutcome<PrunePreview>[] = [];
        for (const request of requests) {
          const counts = await previewPrune(db, request, { signal, now: systemClock.now, onProgress });
          found.push({ request, counts });
        }
        return found;
      }),
    );
    if (dryRun && json) return printJson({ db: path, isDryRun: true, prunes: previews.map(toOutcomeJson) });
    const text = previews.map(describePreview).join('\n\n');
    if (dryRun) return print(text);
    printNote(text);
    if (!(await askYes('Delete this?', signal))) throw new UsageError('nothing was deleted');
  }
  using db = await openExistingDatabase(path);
  const before = statSync(path).size;
  const outcomes = await withProgress(async (onProgress) => {
    const done: PruneOutcome<PruneCounts>[] = [];
    for (const request of requests)
      done.push({ request, counts: await prune(db, request, { signal, now: systemClock.now, onProgress }) });
    return done;
  });
  if (vacuum) compact(db, path);
  const bytes = vacuum ? { before, after: statSync(path).size } : undefined;
  if (json) return printJson({ db: path, isDryRun: false, prunes: outcomes.map(toOutcomeJson), fileBytes: bytes });
  print(outcomes.map((outcome) => describeResult(outcome)).join('\n\n'));
  if (bytes === undefined)
    printNote(`the space is used again; --vacuum returns it to the disk. ${hint('coverage')} shows the pruned parts`);
  else printNote(`the file has ${formatBytes(bytes.after)}, ${formatBytes(bytes.before)} before`);
}

/** @throws TrawlError if the space does not suffice, or other processes use the file */
function compact(db: Db, path: string): void {
  const { bytes, freePageBytes } = measureStore(db, path);
  const hint = 'The data was deleted, and the file was not rewritten. Free space, and run the command again.';
  requireSpace('compaction', { path, needed: Math.max(0, bytes - freePageBytes), hint });
  try {
    if (!compactDatabase(db)) printNote('another process reads the file: its log is emptied when that process ends');
  } catch (error) {
    if (!String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) throw error;
    throw new TrawlError(`${path} is in use: the data was deleted, and the file was not rewritten`, {
      hint: 'Stop its workers, and run the command again.',
    });
  }
}

/** A request, and what it removes or has removed. */
interface PruneOutcome<Counts extends PruneCounts> {
  readonly request: PruneRequest;
  readonly counts: Counts;
}

/** The document of a request. */
const toOutcomeJson = ({ request, counts }: PruneOutcome<PruneCounts | PrunePreview>) => ({
  scope: request.scope,
  job: request.jobName ?? null,
  accounts: request.accountRestIds ?? null,
  olderThan: toIso(request.olderThan),
  isRetention: request.isRetention ?? false,
  ...counts,
});

/** What a request would remove, as a table. */
function describePreview({ request, counts }: PruneOutcome<PrunePreview>): string {
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
const describeResult = ({ request, counts }: PruneOutcome<PruneCounts>): string =>
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
