import { stringify } from 'csv-stringify/sync';
import { getContext } from '#cli/context.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import { printNote } from '#cli/terminal/print.ts';
import { readPanelMembers } from '#store/panels/panels.ts';

/** Prints the current members of a panel as CSV, which `panel import` reads. */
export async function exportPanel(name: string, { db: path }: CommonOptions): Promise<void> {
  const members = await readStore(path, (db) => readPanelMembers(db, name));
  const rows = members.map(({ restId, handle, note }) => [restId, handle, note]);
  // A line break of any form, and spaces at the ends, belong to the note.
  const csv = stringify([['rest_id', 'handle', 'note'], ...rows], { quoted_match: /[\r\n]|^\s|\s$/ });
  const { stdout } = getContext().streams;
  stdout.write(csv);
  if (members.length > 0 && !stdout.isTTY) {
    printNote('a spreadsheet changes ids of more than 15 digits: import the column rest_id as text');
  }
}
