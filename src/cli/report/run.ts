import { readCatalogue } from '#analysis/queries/catalogue.ts';
import { systemClock } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { getContext } from '#cli/context.ts';
import { formatCommandLine } from '#cli/export/command-line.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { decideEvidenceCode, type EvidenceOptions, printEvidenceAge } from '#cli/shared/evidence-options.ts';
import { trapSignals } from '#cli/shared/signals.ts';
import { formatBytes, formatDuration, print, printJson, printNote, toIso } from '#cli/terminal/print.ts';
import { sidecarPathOf } from '#files/export/sidecar.ts';
import { openSnapshot } from '#files/export/snapshot.ts';
import { REPORT_READERS, type ReportSubject } from '#files/report/read-report.ts';
import { writeReport } from '#files/report/write-report.ts';

interface ReportOptions extends CommonOptions, EvidenceOptions {
  readonly output: string;
  readonly author?: readonly string[];
  readonly includeDeleted?: true;
}

/** Writes a report. Returns the exit code. @throws TrawlError if its subject is not in the store */
export async function runReport(subject: ReportSubject, typed: string, options: ReportOptions): Promise<number> {
  const { db, output, json, author = [], includeDeleted = false, olderThan } = options;
  if (output === '-') throw new UsageError('a report is a file', { hint: 'Name it with -o, such as -o report.html.' });
  const startedAt = systemClock.now();
  // No handler of a signal runs during a statement: Node's default ends the process at once.
  getContext().setInterruptMode?.('none');
  using snapshot = openSnapshot(db);
  const { report, note } = REPORT_READERS[subject](snapshot, typed, {
    catalogue: readCatalogue(),
    includeDeleted,
    olderThan,
  });
  if (note !== undefined) printNote(note);
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
  if (author.length === 0) printNote('the citation names no collector: --author adds one');
  if (report.deletions) printEvidenceAge(report.deletions);
  return code;
}
