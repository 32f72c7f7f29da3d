import { TrawlError, UsageError } from '#base/errors.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { trapSignals } from '#cli/shared/signals.ts';
import { createProgressLine } from '#cli/terminal/output.ts';
import { formatCount, hint, pluralize, print, printJson, printNote, renderTable } from '#cli/terminal/print.ts';
import { readLakeContent } from '#lake/files/lake-content.ts';
import { purgeLake } from '#lake/purge-lake.ts';
import { openTarget, parseTargetAddress } from './edit-targets.ts';

/** Rewrites the files of a target without forgotten accounts, and prints what changed. */
export async function runPurge(
  text: string,
  { dryRun = false, json }: Pick<CommonOptions, 'json'> & { readonly dryRun?: boolean },
): Promise<void> {
  const address = parseTargetAddress(text);
  const lake = await openTarget(address);
  if ((await lake.readStores()).length === 0)
    throw new UsageError(`nothing was shipped to ${address}`, {
      command: { name: 'lake status', result: 'shows the targets' },
    });
  using interruption = trapSignals('stopping soon: the next purge continues');
  const content = await readLakeContent(lake);
  using folder = content.claim();
  if (!folder) throw new TrawlError(`another process purges ${address}`, { hint: 'Wait until it has ended.' });
  using line = await createProgressLine();
  const { hashes, files, tables } = await purgeLake({
    content,
    folder,
    isDryRun: dryRun,
    signal: interruption.signal,
    onProgress: (part, done) => line.show(`${pluralize(done, 'file')} read; ${part}`),
  });
  line[Symbol.dispose]();
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
