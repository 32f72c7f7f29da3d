import type { CommandOutcome } from '#cli/crawl/report.ts';
import type { CrawlStages } from '#cli/crawl/run.ts';
import { sumEstimates } from '#crawl/planning/estimate.ts';
import type { CrawlSpec, Estimate } from '#service/kinds/crawl-spec.ts';
import type { StoreReads } from '#store/store-reads.ts';

/** The stages of a timeline or search backfill. */
export interface Backfill extends Pick<CrawlStages, 'nextSpecs'> {
  firstSpecs(read: StoreReads): readonly CrawlSpec[];
  readReport(read: StoreReads): BackfillReport;
}

/** What is still to be done, and the result so far. */
export interface BackfillReport {
  readonly plan: { readonly lines: readonly string[]; readonly fields: object };
  readonly requests: Estimate;
  readonly outcome: CommandOutcome;
}

/** The backfill of an account of a panel. */
export interface AccountBackfill {
  /** The account, for messages. */
  readonly name: string;
  /** The request, for `--json`. */
  readonly request: object;
  readonly backfill: Backfill;
}

/** Combines the backfills of several accounts to one, whose crawls run together. */
export function combineBackfills(accounts: readonly AccountBackfill[]): Backfill {
  const each = <T>(call: (backfill: Backfill) => readonly T[]): T[] =>
    accounts.flatMap(({ backfill }) => call(backfill));
  return {
    firstSpecs: (read) => each((backfill) => backfill.firstSpecs(read)),
    nextSpecs: (read, rows) => each((backfill) => backfill.nextSpecs(read, rows)),
    readReport(read) {
      const reports = accounts.map(({ name, request, backfill }) => ({ name, request, ...backfill.readReport(read) }));
      const list = (linesOf: (report: BackfillReport) => readonly string[]): string[] =>
        reports.flatMap((report) => [`${report.name}:`, ...linesOf(report).map((line) => `  ${line}`)]);
      return {
        plan: {
          lines: list(({ plan }) => plan.lines),
          fields: { accounts: reports.map(({ request, plan }) => ({ ...request, ...plan.fields })) },
        },
        requests: sumEstimates(reports.map(({ requests }) => requests)),
        outcome: {
          lines: list(({ outcome }) => outcome.lines),
          fields: { accounts: reports.map(({ request, outcome }) => ({ ...request, ...outcome.fields })) },
          isPartial: reports.some(({ outcome }) => outcome.isPartial),
        },
      };
    },
  };
}
