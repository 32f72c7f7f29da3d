import type { EvidenceAge } from '#analysis/recheck/evidence-age.ts';
import { systemClock } from '#base/clock.ts';
import { type CommonOptions, EXIT } from '#cli/shared/common-options.ts';
import { decideEvidenceCode, printEvidenceAge } from '#cli/shared/evidence-options.ts';
import { createProgressLine } from '#cli/terminal/output.ts';
import { print, printJson, printNote, toIso } from '#cli/terminal/print.ts';
import { createPseudonyms, type Pseudonyms } from '#files/export/pseudonyms/pseudonyms.ts';
import type { Selection } from '#files/export/row-selection.ts';
import { openSnapshot, type Snapshot } from '#files/export/snapshot.ts';
import { findAccounts } from './accounts.ts';
import { formatCommandLine } from './command-line.ts';
import type { PseudonymOptions } from './pseudonym-options.ts';
import { type Output, readPseudonymSettings } from './pseudonym-settings.ts';
import { readSelection, type SampleOptions, type SelectionOptions } from './selection-options.ts';

/** What an export reads, and how. */
export interface ExportRun {
  readonly snapshot: Snapshot;
  readonly selection: Selection;
  readonly pseudonyms: Pseudonyms | undefined;
  /** The command line, without the API key. */
  readonly command: string;
  /** Milliseconds UTC. */
  readonly startedAt: number;
  /** Shows a line of progress. */
  show(line: string): void;
}

/** What an export has written. */
export interface ExportResult {
  /** The document of `--json`, without what all exports have; undefined if the rows are on stdout. */
  readonly document: object | undefined;
  /** Returns the lines that are printed without `--json`. @param durationMs of the export */
  describe(durationMs: number): readonly string[];
  /** What is left out, and what people have to know. */
  readonly notes: readonly string[];
  /** How old the evidence of deletions is; undefined if none are counted. */
  readonly deletions: EvidenceAge | undefined;
}

type Options = CommonOptions & SelectionOptions & SampleOptions & PseudonymOptions;

/** Runs an export from one snapshot, and prints what it has written. Returns the exit code. */
export async function runSnapshotExport(
  options: Options,
  output: Output,
  write: (run: ExportRun) => Promise<ExportResult>,
): Promise<number> {
  const { db, json } = options;
  const { now } = systemClock;
  const settings = readPseudonymSettings(options, output);
  const selection = readSelection(options);
  const startedAt = now();
  using snapshot = openSnapshot(db);
  const { restIds, unknown } = await findAccounts(snapshot.db, options);
  using line = await createProgressLine();
  const { document, describe, notes, deletions } = await write({
    snapshot,
    startedAt,
    selection: { ...selection, accountRestIds: restIds },
    pseudonyms: settings && createPseudonyms(settings),
    command: formatCommandLine(),
    show: (text) => line.show(text),
  });
  line[Symbol.dispose]();
  const durationMs = now() - startedAt;
  if (json && document) {
    printJson({
      ...document,
      includesDeleted: options.includeDeleted === true,
      deletions: deletions ?? null,
      durationMs,
      snapshotAt: toIso(snapshot.takenAt),
      unknownAccounts: unknown,
    });
  } else for (const text of describe(durationMs)) print(text);
  for (const note of notes) printNote(note);
  if (deletions) printEvidenceAge(deletions);
  return unknown.length > 0 ? EXIT.partial : decideEvidenceCode(options, deletions);
}
