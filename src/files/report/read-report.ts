import { notCollectedError, resolveAccount } from '#analysis/resolve-accounts.ts';
import { TrawlError } from '#base/errors.ts';
import { quoteShellWord } from '#base/text.ts';
import type { Snapshot } from '#files/export/snapshot.ts';
import { parseTarget } from '#service/kinds/target.ts';
import { readAccountReport } from './account/account-report.ts';
import { readJobReport } from './job-report.ts';
import type { ReadOptions, Report } from './report.ts';
import { readSearchReport } from './search-report.ts';

export type ReportSubject = 'account' | 'search' | 'job';

/** A report, with a note if its account has or had a handle that others had. */
export interface FoundReport {
  readonly report: Report;
  readonly note?: string | undefined;
}

type ReadReport = (snapshot: Snapshot, typed: string, options: ReadOptions) => FoundReport;

/**
 * How the report of each subject is read.
 * @throws UsageError for a text that names none; TrawlError if the store does not have it
 */
export const REPORT_READERS: Readonly<Record<ReportSubject, ReadReport>> = {
  account(snapshot, typed, options) {
    const { restId, note } = resolveAccount(snapshot.db, typed, 'report');
    return { report: readAccountReport(snapshot, restId, options)!, note };
  },
  search(snapshot, typed, options) {
    const { target } = parseTarget('report', 'query', typed);
    const report = readSearchReport(snapshot, target, options);
    if (report) return { report };
    const quoted = quoteShellWord(target);
    throw notCollectedError(`the search ${quoted}`, `search ${quoted}`);
  },
  job(snapshot, typed, options) {
    const report = readJobReport(snapshot, typed, options);
    if (report) return { report };
    throw new TrawlError(`the database has no job ${typed}`, {
      command: { name: 'schedule', result: 'lists the jobs' },
    });
  },
};
