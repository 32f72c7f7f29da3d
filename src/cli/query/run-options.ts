import type { EvidenceOptions } from '#cli/shared/evidence-options.ts';
import type { OutputOptions } from '#cli/sql/output-options.ts';

export interface QueryRunOptions extends OutputOptions, EvidenceOptions {
  readonly db: string;
}

/** What `query run` says besides the rows, for its help and that of each query. */
export const STATEMENTS = `It reports missing data to stderr:
  no results          nothing in the collected data matches
  not collected       the query needs data that has not been crawled
  collected in part   a crawl stopped early; more can be collected
  not available       the service does not show it, or no more of it
  not checked         stored tweets were not checked for 30 days, or the age
                      of --older-than

Exit codes: 1 failed, stopped at a limit, or the account is not in the database, 3 answered, but data was not
collected or only in part (with --older-than, also not checked).`;
