import { systemClock } from '#base/clock.ts';
import { TrawlError, UsageError } from '#base/errors.ts';
import { foldHandle } from '#base/text.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { openExistingDatabase } from '#cli/shared/existing-store.ts';
import { nameMember } from '#cli/targets/panel-notes.ts';
import { hint, print, printJson, printNote } from '#cli/terminal/print.ts';
import { parseJob } from '#crawl/jobs/job.ts';
import { parseAccount, parseTarget } from '#service/kinds/target.ts';
import { readSchedule } from '#store/crawls/stored-schedule.ts';
import { deletePanel, removeMembers } from '#store/panels/edit-panels.ts';
import { type PanelMember, readPanelMembers } from '#store/panels/panels.ts';
import { type Db } from '#store/sqlite/database.ts';

interface RemoveOptions extends CommonOptions {
  readonly delete?: true;
}

/** Removes accounts from a panel, all or none, or deletes the panel. */
export async function removeAccounts(panel: string, typed: readonly string[], options: RemoveOptions): Promise<void> {
  if (options.delete ? typed.length > 0 : typed.length === 0) {
    throw new UsageError(options.delete ? '--delete takes no accounts' : 'no accounts', {
      hint: `Name the accounts to remove, or give --delete to delete the panel with its history.`,
    });
  }
  using db = await openExistingDatabase(options.db);
  if (options.delete) {
    requireUnused(db, panel);
    deletePanel(db, panel);
    return options.json ? printJson({ panel, isDeleted: true }) : printNote(`deleted panel ${panel}`);
  }
  const members = readPanelMembers(db, panel);
  const removed = new Set(typed.map((account) => findMember(members, account, panel)));
  removeMembers(
    db,
    panel,
    [...removed].map(({ restId }) => restId),
    systemClock.now(),
  );
  if (options.json) return printJson({ panel, removed: [...removed] });
  for (const member of removed) print(`removed ${nameMember(member)}`);
}

/** The member that an account means: by its id, its current handle, or the handle with which it was added. */
function findMember(members: readonly PanelMember[], typed: string, panel: string): PanelMember {
  const account = parseAccount(parseTarget('panel', 'account', typed).target);
  const having = (name: 'screenName' | 'handle', handle: string): PanelMember[] =>
    members.filter((member) => member[name] !== null && foldHandle(member[name]) === handle);
  const current =
    'id' in account ? members.filter(({ restId }) => restId === account.id) : having('screenName', account.handle);
  const found = current.length > 0 || 'id' in account ? current : having('handle', account.handle);
  const [member, ...others] = found;
  if (member && others.length === 0) return member;
  if (!member)
    throw new TrawlError(`${typed} is no member of the panel ${panel}: nothing was removed`, {
      hint: `${hint('panel show', panel)} lists the members.`,
    });
  throw new TrawlError(`${typed} was the handle of several members of the panel ${panel}: nothing was removed`, {
    hint: `Give the id: ${found.map(({ restId }) => `id:${restId}`).join(', ')}.`,
  });
}

/** @throws TrawlError if scheduled jobs crawl the panel */
function requireUnused(db: Db, panel: string): void {
  const jobs = readSchedule(db).filter((entry) => {
    const { targets } = parseJob(entry);
    return 'panel' in targets && targets.panel === panel;
  });
  if (jobs.length === 0) return;
  throw new TrawlError(`scheduled jobs crawl the panel ${panel}: ${jobs.map(({ name }) => name).join(', ')}`, {
    hint: `Remove their files, then ${hint('schedule sync')}.`,
  });
}
