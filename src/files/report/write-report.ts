import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { EvidenceAge } from '#analysis/recheck/evidence-age.ts';
import { pluralize } from '#base/text.ts';
import type { WrittenBytes } from '#files/export/output-file.ts';
import type { Selection } from '#files/export/row-selection.ts';
import { readProvenance, type Provenance, sidecarPathOf } from '#files/export/sidecar.ts';
import type { Snapshot } from '#files/export/snapshot.ts';
import { prepareWithSidecar } from '#files/export/write-file.ts';
import { renderPage } from './html/html-page.ts';
import type { Report, ReportOrigin } from './report.ts';

/** The document of `<file>.meta.json` of a report. */
export interface ReportSidecar extends Provenance, WrittenBytes {
  readonly name: string;
  readonly mediaType: 'text/html';
  /** The SHA-256 of `data` as canonical JSON (RFC 8785). The page shows it, too. */
  readonly dataSha256: string;
  /** The numbers of texts that are left out, by reason. */
  readonly excluded: Readonly<Record<string, number>>;
  /** How old the evidence of deletions is; present if the report counts them. */
  readonly deletions?: EvidenceAge | undefined;
  /** The saved queries, with the statements that return the same rows, the values that these got, and the numbers of rows. */
  readonly queries: readonly {
    readonly name: string;
    readonly sql: string;
    readonly parameters: object;
    readonly rows: number;
  }[];
  /** Every figure of the page. */
  readonly data: object;
}

export interface ReportRequest {
  readonly snapshot: Snapshot;
  readonly report: Report;
  readonly path: string;
  /** The command line, without the API key. */
  readonly command: string;
  readonly collectors: readonly string[];
  readonly includeDeleted: NonNullable<Selection['includeDeleted']>;
  readonly signal?: AbortSignal | undefined;
}

/** A written report. */
export interface WrittenReport extends WrittenBytes {
  readonly path: string;
  readonly dataSha256: string;
}

/**
 * Writes a report and its sidecar. Both appear under their names only when they are complete, the page last.
 * @throws TrawlError if they cannot be written, or the reason of the signal
 */
export async function writeReport({
  snapshot,
  report,
  path,
  command,
  ...request
}: ReportRequest): Promise<WrittenReport> {
  const { collectors, includeDeleted, signal } = request;
  const dataSha256 = computeDigest(report.data);
  const provenance = readProvenance(snapshot, command);
  const origin: ReportOrigin = {
    provenance,
    collectors,
    dataSha256,
    sidecar: basename(sidecarPathOf(path)),
    deleted: describeExcluded(report.excluded, includeDeleted),
  };
  const page = await renderPage(report.describe(origin));
  signal?.throwIfAborted();
  await using file = await prepareWithSidecar<WrittenReport>({
    path,
    write: async (sink) => {
      await sink.write(page);
      return { path, dataSha256 };
    },
    describe: ({ bytes, sha256 }): ReportSidecar => ({
      ...provenance,
      name: basename(path),
      mediaType: 'text/html',
      bytes,
      sha256,
      dataSha256,
      excluded: report.excluded,
      deletions: report.deletions,
      queries: report.queries.map(({ query: { name, sql }, bound, answer }) => ({
        name,
        sql,
        parameters: bound,
        rows: answer.rows.length,
      })),
      data: report.data,
    }),
  });
  signal?.throwIfAborted();
  await file.commit();
  return file.written;
}

/** What became of deleted tweets and unavailable accounts. */
function describeExcluded(excluded: Report['excluded'], includeDeleted: boolean): string {
  if (includeDeleted) return 'Texts of deleted tweets and of accounts that the service no longer shows are included.';
  const counts = Object.entries(excluded).flatMap(([reason, n]) => (n === 0 ? [] : EXCLUDED[reason]!(n)));
  return counts.length === 0
    ? 'No text had to be left out: the service still shows all of it, as far as known.'
    : `Left out are the texts of ${counts.join(' and of ')}. Counts and charts include them; --include-deleted shows them.`;
}

const EXCLUDED: Readonly<Record<string, (n: number) => string>> = {
  deletedTweets: (n) => pluralize(n, 'deleted tweet'),
  unavailableAccounts: (n) => `${pluralize(n, 'account')} that the service no longer shows`,
  tweetsOfUnavailableAccounts: (n) => `${pluralize(n, 'tweet')} of accounts that the service no longer shows`,
};

/**
 * Returns a value as canonical JSON (RFC 8785): keys in order, no space, numbers as ECMAScript writes them. Equal data has
 * equal text, whatever program writes it. Integers of SQLite beyond 2^53 and lone surrogates have no such form: text, U+FFFD.
 */
export function formatCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatCanonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    // The default order is that of UTF-16 units, as the RFC demands.
    const entries = Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, each]) => `${formatCanonicalJson(key)}:${formatCanonicalJson(each)}`).join(',')}}`;
  }
  if (typeof value === 'bigint') {
    return formatCanonicalJson(Number.isSafeInteger(Number(value)) ? Number(value) : String(value));
  }
  return JSON.stringify(typeof value === 'string' ? value.toWellFormed() : (value ?? null));
}

/** The SHA-256 of the canonical JSON of a value, in hexadecimal digits. */
export const computeDigest = (value: unknown): string =>
  createHash('sha256').update(formatCanonicalJson(value)).digest('hex');
