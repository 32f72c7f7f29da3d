import { getContext } from '#cli/context.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import { formatDay, hint, pluralize, printNote } from '#cli/terminal/print.ts';
import { formatTarget } from '#service/kinds/target.ts';
import { type PanelMember, readPanelMembers } from '#store/panels/panels.ts';

/** What has happened to the accounts of a panel, as far as the store knows. */

/** The maximum number of named accounts. */
const NAMED = 5;

/** The account of a member, by its current handle and its id. */
export const nameMember = ({ screenName, handle, restId }: PanelMember): string =>
  formatTarget({ target: `id:${restId}`, handle: screenName ?? handle });

/** `nasa is now called nasa_then (id:1)`, or that it is unavailable; undefined otherwise. */
export function describeMemberChange(member: PanelMember): string | undefined {
  const { state, handle, noticedAt } = member;
  if (state === 'renamed') return `${handle} is now called ${nameMember(member)}`;
  // The service does not say why.
  if (state === 'unavailable')
    return `${nameMember(member)} is unavailable: the service answered 404 on ${formatDay(noticedAt!)}`;
  return undefined;
}

interface PanelOptions extends CommonOptions {
  readonly panel?: string | undefined;
}

/** Prints a note for each member of the panel of a command that was renamed or is unavailable. */
export async function printPanelNotes({ panel, db: path }: PanelOptions): Promise<void> {
  if (panel === undefined || getContext().isQuiet) return;
  const members = await readStore(path, (db) => readPanelMembers(db, panel));
  const changes = members.flatMap((member) => describeMemberChange(member) ?? []);
  for (const change of changes.slice(0, NAMED)) printNote(`panel ${panel}: ${change}`);
  const rest = changes.length - NAMED;
  if (rest > 0) {
    const what = `${pluralize(rest, 'more member')} renamed or unavailable`;
    printNote(`panel ${panel}: ${what}; ${hint('panel show', panel)} lists them`);
  }
}
