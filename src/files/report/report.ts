import type { Catalogue } from '../../analysis/queries/catalogue.ts';
import type { EvidenceAge } from '../../analysis/recheck/evidence-age.ts';
import type { Provenance } from '../export/sidecar.ts';
import type { PageContent, Text } from './report-content.ts';
import type { AnsweredQuery } from './run-queries.ts';

/** What the page of a report says about its origin. */
export interface ReportOrigin {
  readonly provenance: Provenance;
  /** Who collected the data: `Family, Given` for a person. Empty if nobody said so. */
  readonly collectors: readonly string[];
  /** What became of deleted tweets and unavailable accounts, in words. */
  readonly deleted: Text;
  /** The digest of the data behind the page. */
  readonly dataSha256: string;
  /** The name of the sidecar. */
  readonly sidecar: string;
}

/** How a report is read. */
export interface ReadOptions {
  readonly catalogue: Catalogue;
  /** Whether texts of deleted tweets and unavailable accounts are shown. */
  readonly includeDeleted: boolean;
  /** The age from which checks of tweets are old, in milliseconds; 30 days by default. */
  readonly olderThan?: number | undefined;
}

/** A report, ready to be written. */
export interface Report {
  /** Everything that the page shows, as data: what its digest is computed from. It does not depend on the time of the report. */
  readonly data: object;
  /** The saved queries that it ran. */
  readonly queries: readonly AnsweredQuery[];
  /** The numbers of texts that are left out, by reason. */
  readonly excluded: Readonly<Record<string, number>>;
  /** How old the evidence of deletions is, at the time of the report; undefined if it counts none. */
  readonly deletions?: EvidenceAge;
  /** Returns the page. */
  describe(origin: ReportOrigin): PageContent;
}
