import { join } from 'node:path';
import { UsageError } from '#base/errors.ts';
import { getConfig } from '#cli/context.ts';
import { printNote } from '#cli/terminal/print.ts';
import { openKeyFile, requireKeyElsewhere } from '#files/export/pseudonyms/pseudonymiser.ts';
import type { PseudonymSettings } from '#files/export/pseudonyms/pseudonyms.ts';
import type { PseudonymOptions } from './pseudonym-options.ts';

/** What is written: a file, a folder, standard output (`-`), or something else (undefined). */
export interface Output {
  readonly path: string | undefined;
  readonly isFolder?: boolean;
}

/**
 * Returns how an export is pseudonymised; undefined if it is not. Creates a missing key, and says so.
 * @throws UsageError for a key that others may read or that would be shared with the export
 */
export function readPseudonymSettings(
  { pseudonymise, keyFile, keepText }: PseudonymOptions,
  { path, isFolder = false }: Output,
): PseudonymSettings | undefined {
  if (!pseudonymise) {
    if (keyFile !== undefined) throw new UsageError('--key-file needs --pseudonymise');
    if (keepText) throw new UsageError('--keep-text needs --pseudonymise');
    return undefined;
  }
  const file = keyFile ?? findDefaultKeyFile();
  if (path !== undefined && path !== '-') requireKeyElsewhere(file, { path, isFolder });
  const { key, isNew } = openKeyFile(file);
  if (isNew) {
    printNote(
      `created the key ${file}: keep it, since only exports with the same key can be joined, and never share it,\n` +
        '  since it re-identifies people',
    );
  }
  return { key, keepsText: keepText === true };
}

function findDefaultKeyFile(): string {
  const { configFolder } = getConfig();
  if (configFolder !== undefined) return join(configFolder, 'trawl', 'pseudonym.key');
  throw new UsageError('neither XDG_CONFIG_HOME nor HOME is set, where the key of pseudonyms would be', {
    hint: 'Name its file with --key-file.',
  });
}
