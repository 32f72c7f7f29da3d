import { TrawlError, UsageError } from '#base/errors.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { trapSignals } from '#cli/shared/signals.ts';
import { createProgressLine } from '#cli/terminal/output.ts';
import { formatCount, hint, pluralize, print, printJson, printNote, renderTable } from '#cli/terminal/print.ts';
import { compactLake, type CompactOptions } from '#lake/compact-lake.ts';
import { readLakeContent } from '#lake/files/lake-content.ts';
import { purgeLake } from '#lake/purge-lake.ts';
import { openTarget, parseTargetAddress } from './edit-targets.ts';

/** Combines the files of a target, and prints how many there were. */
export async function runCompaction(text: string, { json }: Pick<CommonOptions, 'json'>): Promise<void> {
  const { address, replaced, made } = await changeFiles(text, 'stopping soon: the next run continues', (target, show) =>
    compactLake({ ...target, onProgress: (files) => show(`${pluralize(files, 'file')} combined`) }),
  );
  if (json) return printJson({ target: address, replaced, made });
  if (replaced === 0) return print('there is nothing to combine');
  print(`${formatCount(replaced)} files are combined into ${formatCount(made)}`);
  printNote('the next run deletes the files that were replaced');
}

/** Rewrites the files of a target without forgotten accounts, and prints what changed. */
export async function runPurge(
  text: string,
  { dryRun = false, json }: Pick<CommonOptions, 'json'> & { readonly dryRun?: boolean },
): Promise<void> {
  const { address, hashes, files, tables } = await changeFiles(
    text,
    'stopping soon: the next purge continues',
    (target, show) =>
      purgeLake({
        ...target,
        isDryRun: dryRun,
        onProgress: (part, done) => show(`${pluralize(done, 'file')} read; ${part}`),
      }),
  );
  if (json) return printJson({ target: address, dryRun, hashes, files, tables });
  if (hashes === 0) {
    print('no database of this target has erased an account');
    return printNote(`erasures that wait are not known here: ${hint('lake ship')} ships them`);
  }
  const rows = tables.map(({ table, removed, changed }) => [table, formatCount(removed), formatCount(changed)]);
  if (rows.length > 0)
    print(
      renderTable(['facts', dryRun ? 'to remove' : 'removed', dryRun ? 'to change' : 'changed'], rows, {
        right: [1, 2],
      }),
    );
  print(
    `${pluralize(files, 'file')} ${dryRun ? 'would be rewritten' : files === 1 ? 'was rewritten' : 'were rewritten'}`,
  );
}

/** Changes the files of a target, one process of a machine at a time. @throws TrawlError if another one changes them */
async function changeFiles<T extends object>(
  text: string,
  onStop: string,
  change: (target: Omit<CompactOptions, 'onProgress'>, show: (what: string) => void) => Promise<T>,
): Promise<T & { readonly address: string }> {
  const address = parseTargetAddress(text);
  const lake = await openTarget(address);
  const content = await readLakeContent(lake);
  if (content.stores.length === 0)
    throw new UsageError(`nothing was shipped to ${address}`, {
      command: { name: 'lake status', result: 'shows the targets' },
    });
  using interruption = trapSignals(onStop);
  using folder = content.claim();
  if (!folder)
    throw new TrawlError(`another process changes the files of ${address}`, { hint: 'Wait until it has ended.' });
  using line = await createProgressLine();
  const { signal } = interruption;
  return { address, ...(await change({ lake, content, folder, signal }, (what) => line.show(what))) };
}
