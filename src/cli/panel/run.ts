import { systemClock } from '#base/clock.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import { describeMemberChange } from '#cli/targets/panel-notes.ts';
import { formatDay, hint, pluralize, print, printJson, printNote, renderTable } from '#cli/terminal/print.ts';
import { createPanel } from '#store/panels/edit-panels.ts';
import { type PanelMember, readMemberships, readPanels } from '#store/panels/panels.ts';
import { openDatabase } from '#store/sqlite/database.ts';

interface CreateOptions extends CommonOptions {
  readonly description?: string;
}

/** Creates a panel. */
export async function createNamedPanel(name: string, { db: path, json, description }: CreateOptions): Promise<void> {
  using db = openDatabase(path);
  createPanel(db, { name, description }, systemClock.now());
  if (json) return printJson({ panel: name });
  printNote(`created panel ${name}: ${hint('panel add', name)} adds accounts`);
}

/** Prints all panels. */
export async function printPanelList({ db: path, json }: CommonOptions): Promise<void> {
  const panels = await readStore(path, readPanels);
  if (json) return printJson({ panels });
  if (panels.length === 0) return printNote(`no panels yet: ${hint('panel create')} creates one`);
  const rows = panels.map((panel) => [
    panel.name,
    panel.members,
    panel.renamed,
    panel.unavailable,
    formatDay(panel.createdAt),
    panel.description,
  ]);
  print(renderTable(['name', 'members', 'renamed', 'unavailable', 'created', 'description'], rows));
}

interface ShowOptions extends CommonOptions {
  readonly all?: true;
}

/** Prints the members of a panel, with what has happened to their accounts. */
export async function printPanel(name: string, { db: path, json, all }: ShowOptions): Promise<void> {
  const { panel, memberships } = await readStore(path, (db) => ({
    memberships: readMemberships(db, name),
    panel: readPanels(db).find((each) => each.name === name)!,
  }));
  const members = memberships.filter(({ removedAt }) => all || removedAt === null);
  if (json) return printJson({ ...panel, members });
  if (panel.description !== null) print(`${panel.description}\n`);
  if (members.length === 0) printNote(`the panel ${name} has no members: ${hint('panel add', name)} adds accounts`);
  else print(renderMembers(members, all ?? false));
  const removed = memberships.length - members.length;
  if (removed > 0)
    printNote(`${pluralize(removed, 'former membership')}: ${hint('panel show', `${name} --all`)} lists them`);
}

function renderMembers(members: readonly PanelMember[], all: boolean): string {
  const head = ['handle', 'id', 'added', ...(all ? ['removed'] : []), 'note', 'state'];
  const rows = members.map((member) => [
    member.screenName ?? member.handle,
    member.restId,
    formatDay(member.addedAt),
    ...(all ? [member.removedAt && formatDay(member.removedAt)] : []),
    member.note,
    member.state === 'unseen' ? 'not stored yet' : describeMemberChange(member),
  ]);
  return renderTable(head, rows);
}
