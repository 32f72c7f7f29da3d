import { systemClock } from '#base/clock.ts';
import { removeAbandonedFiles, temporarySuffix } from '#base/temporary-files.ts';
import { resolvePath } from '#cli/context.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { requireStore } from '#cli/shared/existing-store.ts';
import { trapSignals } from '#cli/shared/signals.ts';
import { createProgressLine } from '#cli/terminal/output.ts';
import { formatBytes, formatDuration, pluralize, print, printJson } from '#cli/terminal/print.ts';
import { backUpStore } from '#store/backup/back-up-store.ts';

/** Copies a store to a new file and prints the result. */
export async function runBackup(name: string, { db, json }: CommonOptions): Promise<void> {
  await requireStore(db);
  const file = resolvePath(name);
  const startedAt = systemClock.now();
  using interruption = trapSignals('stopping: no backup is written');
  using line = await createProgressLine();
  removeAbandonedFiles(file);
  const { bytes, sha256, rows } = await backUpStore({
    path: db,
    file,
    temporary: `${file}${temporarySuffix(process.pid)}`,
    signal: interruption.signal,
    onProgress(progress) {
      line.show(
        'copied' in progress
          ? `${formatBytes(progress.copied)} of ${formatBytes(progress.total)} copied`
          : `checking ${progress.checking}`,
      );
    },
  });
  line[Symbol.dispose]();
  const durationMs = systemClock.now() - startedAt;
  if (json) return printJson({ db, file: name, bytes, sha256, rows, durationMs });
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  print(`${name}: ${formatBytes(bytes)}, ${pluralize(total, 'row')}, checked, in ${formatDuration(durationMs)}`);
  print(`sha256 ${sha256}`);
}
