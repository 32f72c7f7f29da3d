import { readFileSync } from 'node:fs';
import { systemClock } from '../../base/clock.ts';
import { describeError, UsageError } from '../../base/errors.ts';
import { addMembers } from '../../store/panels/edit-panels.ts';
import { openDatabase } from '../../store/sqlite/database.ts';
import { pluralize, print, printJson, printNote } from '../terminal/print.ts';
import { describeAdded } from './add.ts';
import { bindAccounts, type LookupOptions } from './bind-accounts.ts';
import { parsePanelFile } from './parse-panel-file.ts';

/** Adds the accounts of a CSV file to a panel, all or none. Creates the panel if it is missing. */
export async function importPanel(panel: string, file: string, options: LookupOptions): Promise<void> {
  const { rows, otherColumns, duplicateLines } = parsePanelFile(readText(file));
  using db = openDatabase(options.db);
  const accounts = await bindAccounts(
    rows.map(({ account }) => account),
    options,
  );
  const members = accounts.map(({ restId, handle }, i) => ({ restId, handle, note: rows[i]!.note }));
  const changes = addMembers(db, panel, members, systemClock.now(), { create: true });
  if (options.json) return printJson({ panel, ...changes, duplicateLines, otherColumns });
  print(describeAdded(panel, changes));
  if (options.quiet) return;
  for (const { note } of accounts) if (note !== undefined) printNote(note);
  if (duplicateLines.length > 0) {
    const lines = duplicateLines.slice(0, 5).join(', ') + (duplicateLines.length > 5 ? ', …' : '');
    printNote(`ignored ${pluralize(duplicateLines.length, 'duplicate')}: line ${lines}`);
  }
  if (otherColumns.length > 0) printNote(`ignored columns: ${otherColumns.join(', ')}`);
}

/** @throws UsageError if the file cannot be read, or is not in UTF-8 */
function readText(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw new UsageError(`cannot read ${file}: ${describeError(cause)}`, { cause });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UsageError(`${file} is not in UTF-8`, { hint: 'Save it as "CSV UTF-8".', cause });
  }
}
