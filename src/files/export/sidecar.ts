import { basename } from 'node:path';
import type { Answer } from '#analysis/answer.ts';
import type { ChartOptions } from '#analysis/queries/chart-spec.ts';
import type { EvidenceAge } from '#analysis/recheck/evidence-age.ts';
import { VERSION } from '#base/package-root.ts';
import { toIso } from '#base/units.ts';
import type { WrittenBytes } from './output-file.ts';
import type { ResultColumn } from './result-set.ts';
import type { Snapshot } from './snapshot.ts';

/** A crawled list that an exported file has rows of, with what is known about its completeness; in words for lists of stored accounts. */
export interface ListCompleteness extends Partial<Pick<Answer, 'label' | 'sentence' | 'command'>> {
  readonly kind: string;
  /** The service's id of the account, tweet, community or list; the string of a search. */
  readonly target: string;
  readonly handle: string | null;
  readonly isComplete: boolean;
  /** ISO 8601 in UTC; null without evidence of completeness. */
  readonly completeAsOf: string | null;
  readonly stored: number | null;
  readonly reported: number | null;
  readonly gaps: number;
  /** The items that were removed from it, and when the last of them was; present if any were. */
  readonly pruned?: { readonly items: number; readonly at: string } | undefined;
}

/** What a file was made from. It is the same for all files of one command. */
export interface Provenance {
  /** The version of trawl. */
  readonly version: string;
  /** The command line, without the API key. */
  readonly command: string;
  /** The random id of the store (null for a generated world that no crawl has opened), and its file. */
  readonly store: { readonly id: string | null; readonly file: string };
  /** The time of the read snapshot: ISO 8601 in UTC. */
  readonly snapshotAt: string;
}

/** The saved query whose result a file has. */
export interface SavedQueryOrigin {
  readonly name: string;
  readonly title: string;
  /** The values of its parameters, as they were typed, or their defaults. */
  readonly values: Readonly<Record<string, string | number | null>>;
  /** What it needs and the store lacks, in words. */
  readonly missing: readonly string[];
}

/** Where the rows of a file come from. */
export interface FileOrigin extends Provenance {
  /** Undefined for a statement that belongs to no saved query. */
  readonly query?: SavedQueryOrigin | undefined;
  /** The statement that returns the same rows, and the values of its parameters by name, without the colon. */
  readonly sql: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** The document of `<file>.meta.json`: where the rows of a file come from, and what they lack. */
export interface Sidecar extends FileOrigin, FileFacts {}

/** What a sidecar says of any file. That of a network has no statement. */
export interface FileFacts extends Provenance, WrittenBytes, RowFacts {
  /** The name of the file, without its folder. */
  readonly name: string;
  readonly mediaType: string;
  readonly rows: number;
  readonly columns: readonly ResultColumn[];
  /** What the user said about a chart. */
  readonly chart?: ChartOptions | undefined;
}

/** What the rows of a file lack. */
export interface RowFacts {
  /** The numbers of rows that were left out, by reason. */
  readonly excluded: Readonly<Record<string, number>>;
  /** How old the evidence of deletions is; present if rows of deleted tweets are counted. */
  readonly deletions?: EvidenceAge | undefined;
  readonly completeness: {
    /** The numbers of lists by kind, and of those with evidence of completeness. */
    readonly lists: readonly { readonly kind: string; readonly lists: number; readonly complete: number }[];
    /** The lists, at most 1,000, incomplete ones first. */
    readonly details: readonly ListCompleteness[];
  };
}

export const sidecarPathOf = (path: string): string => `${path}.meta.json`;

/** Returns JSON. Integers of SQLite are bigints: up to 2^53 they become numbers, beyond that text. */
export const formatExactJson = (value: unknown, indent?: number): string =>
  JSON.stringify(
    value,
    (_, each: unknown) =>
      typeof each === 'bigint' ? (Number.isSafeInteger(Number(each)) ? Number(each) : String(each)) : each,
    indent,
  );

/** Returns what the files of a command were made from. @param command the command line, without the API key */
export const readProvenance = ({ path, storeId, takenAt }: Snapshot, command: string): Provenance => ({
  version: VERSION,
  command,
  store: { id: storeId, file: basename(path) },
  snapshotAt: toIso(takenAt),
});
