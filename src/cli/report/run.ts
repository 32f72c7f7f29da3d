import { describeHolders } from '../../analysis/describe-holders.ts';
import { readHolders, resolveHolder } from '../../analysis/handle-holders.ts';
import { readCatalogue } from '../../analysis/queries/catalogue.ts';
import { systemClock } from '../../base/clock.ts';
import { TrawlError, UsageError } from '../../base/errors.ts';
import { quoteShellWord } from '../../base/text.ts';
import { sidecarPathOf } from '../../files/export/sidecar.ts';
import { openSnapshot, type Snapshot } from '../../files/export/snapshot.ts';
import { readAccountReport } from '../../files/report/account/account-report.ts';
import { readJobReport } from '../../files/report/job/job-report.ts';
import type { Report } from '../../files/report/report.ts';
import { readSearchReport } from '../../files/report/search/search-report.ts';
import { writeReport } from '../../files/report/write-report.ts';
import { parseAccount, parseTarget } from '../../service/kinds/target.ts';
import { getContext } from '../context.ts';
import { formatCommandLine } from '../export/command-line.ts';
import { hint } from '../shared/command-hints.ts';
import type { CommonOptions } from '../shared/common-options.ts';
import { decideEvidenceCode, type EvidenceOptions, printEvidenceAge } from '../shared/evidence-options.ts';
import { trapSignals } from '../shared/signals.ts';
import { formatBytes, formatDuration, print, printJson, printNote, toIso } from '../terminal/print.ts';

export type ReportSubject = 'account' | 'search' | 'job';

export interface ReportOptions extends CommonOptions, EvidenceOptions {
  readonly output: string;
  readonly author?: readonly string[];
  readonly includeDeleted?: true;
}

/** Writes a report. Returns the exit code. @throws TrawlError if its subject is not in the store */
export async function runReport(subject: ReportSubject, typed: string, options: ReportOptions): Promise<number> {
  const { db, output, json, quiet, author = [], includeDeleted = false, olderThan } = options;
  if (output === '-') throw new UsageError('a report is a file', { hint: 'Name it with -o, such as -o report.html.' });
  const startedAt = systemClock.now();
  // No handler of a signal runs during a statement: Node's default ends the process at once.
  getContext().setInterruptMode?.('none');
  using snapshot = openSnapshot(db);
  const report = READERS[subject](snapshot, typed, { catalogue: readCatalogue(), includeDeleted, olderThan });
  const code = decideEvidenceCode(options, report.deletions);
  using interruption = trapSignals('stopping: nothing is written');
  interruption.signal.throwIfAborted();
  const written = await writeReport({
    snapshot,
    report,
    path: output,
    command: formatCommandLine(),
    includeDeleted,
    collectors: [...new Set(author)],
    signal: interruption.signal,
  });
  const durationMs = systemClock.now() - startedAt;
  const snapshotAt = toIso(snapshot.takenAt);
  if (json) {
    printJson({
      file: output,
      sidecar: sidecarPathOf(output),
      bytes: written.bytes,
      sha256: written.sha256,
      dataSha256: written.dataSha256,
      excluded: report.excluded,
      deletions: report.deletions ?? null,
      includesDeleted: includeDeleted,
      snapshotAt,
      durationMs,
    });
    return code;
  }
  print(`${output}: ${formatBytes(written.bytes)}, in ${formatDuration(durationMs)}`);
  print(`${sidecarPathOf(output)}: the figures of the page, their statements and checksums`);
  if (!quiet && author.length === 0) printNote('the citation names no collector: --author adds one');
  if (!quiet && report.deletions) printEvidenceAge(report.deletions);
  return code;
}

type ReadOptions = Parameters<typeof readAccountReport>[2];

/** How the report of each subject is read. @throws TrawlError if the store does not have it */
const READERS: Readonly<Record<ReportSubject, (snapshot: Snapshot, typed: string, options: ReadOptions) => Report>> = {
  account(snapshot, typed, options) {
    const restId = resolveAccount(snapshot, typed);
    const report = restId === undefined ? undefined : readAccountReport(snapshot, restId, options);
    return report ?? notCollected(`the account ${typed}`, `profile ${quoteShellWord(typed)}`);
  },
  search(snapshot, typed, options) {
    const { target } = parseTarget('report', 'query', typed);
    return (
      readSearchReport(snapshot, target, options) ??
      notCollected(`the search ${quoteShellWord(target)}`, `search ${quoteShellWord(target)}`)
    );
  },
  job(snapshot, typed, options) {
    const report = readJobReport(snapshot, typed, options);
    if (report) return report;
    throw new TrawlError(`the database has no job ${typed}`, { hint: `${hint('schedule')} lists the jobs.` });
  },
};

function notCollected(what: string, crawl: string): never {
  throw new TrawlError(`not collected: the database does not have ${what}`, {
    hint: `${hint('crawl', crawl)} collects it.`,
  });
}

/** The id of the account that is named. Prints a note if its handle had other holders. */
function resolveAccount({ db }: Snapshot, typed: string): string | undefined {
  const account = parseAccount(parseTarget('report', 'account', typed).target);
  if ('id' in account) return account.id;
  const holders = readHolders(db, account.handle);
  const holder = resolveHolder(holders);
  const note = describeHolders(account.handle, holders);
  if (note && !holder) throw new TrawlError(note, { hint: 'Name one of them by its id.' });
  if (note) printNote(note);
  return holder?.restId;
}
