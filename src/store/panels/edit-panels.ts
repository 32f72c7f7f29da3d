import { and, eq, isNull, type SQL } from 'drizzle-orm';
import { UsageError } from '#base/errors.ts';
import { NAME_PATTERN } from '#base/text.ts';
import { prepareForgottenTargets, requireRemembered } from '#store/erasure/incoming/forgotten-targets.ts';
import { panelMembers, panels } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { requirePanel } from './panels.ts';

/** Changes of panels, each in a transaction of its own. Times are milliseconds UTC. */

/** An account to add to a panel. */
export interface NewMember {
  readonly restId: string;
  /** The handle of the account; null if it is unknown. */
  readonly handle: string | null;
  /** Null keeps the note of a member. */
  readonly note: string | null;
}

/** The ids of accounts that were added, of members with a new note, and of members that are unchanged. */
export interface AddedMembers {
  readonly added: readonly string[];
  readonly noted: readonly string[];
  readonly unchanged: readonly string[];
}

/** Creates a panel. @throws UsageError if the name is invalid or taken */
export function createPanel(db: Db, panel: { name: string; description?: string | undefined }, at: number): void {
  if (!insertPanel(db, panel, at)) throw new UsageError(`there is already a panel ${panel.name}`);
}

/**
 * Adds accounts to a panel. A current member keeps its membership and gets the new note, if there is one.
 * @param create whether a missing panel is created
 * @throws UsageError if there is no such panel, or if accounts are forgotten
 */
export function addMembers(
  db: Db,
  name: string,
  members: readonly NewMember[],
  at: number,
  { create = false } = {},
): AddedMembers {
  return changeAtOnce(db, () => {
    if (create) insertPanel(db, { name }, at);
    const panelId = requirePanel(db, name);
    requireRemembered(
      members.map(({ restId }) => ({ kind: 'profile', target: `id:${restId}` })),
      prepareForgottenTargets(db),
    );
    const result = { added: [] as string[], noted: [] as string[], unchanged: [] as string[] };
    for (const { restId, handle, note } of members) {
      const isMember = isCurrentMember(panelId, restId);
      const current = db.select({ note: panelMembers.note }).from(panelMembers).where(isMember).get();
      if (current === undefined) {
        db.insert(panelMembers).values({ panelId, restId, handle, note, addedAt: at }).run();
        result.added.push(restId);
      } else if (note !== null && note !== current.note) {
        db.update(panelMembers).set({ note }).where(isMember).run();
        result.noted.push(restId);
      } else result.unchanged.push(restId);
    }
    return result;
  });
}

/** Ends the membership of accounts. @throws UsageError if there is no such panel */
export function removeMembers(db: Db, name: string, restIds: readonly string[], at: number): void {
  changeAtOnce(db, () => {
    const panelId = requirePanel(db, name);
    for (const restId of restIds)
      db.update(panelMembers).set({ removedAt: at }).where(isCurrentMember(panelId, restId)).run();
  });
}

/** Deletes a panel and all of its memberships. @throws UsageError if there is no such panel */
export function deletePanel(db: Db, name: string): void {
  changeAtOnce(db, () => {
    const panelId = requirePanel(db, name);
    db.delete(panelMembers).where(eq(panelMembers.panelId, panelId)).run();
    db.delete(panels).where(eq(panels.id, panelId)).run();
  });
}

const isCurrentMember = (panelId: number, restId: string): SQL | undefined =>
  and(eq(panelMembers.panelId, panelId), eq(panelMembers.restId, restId), isNull(panelMembers.removedAt));

/** Returns false if there is already a panel of this name. @throws UsageError if the name is invalid */
function insertPanel(
  db: Db,
  { name, description }: { name: string; description?: string | undefined },
  at: number,
): boolean {
  if (!new RegExp(NAME_PATTERN).test(name)) {
    throw new UsageError(`"${name}" cannot be the name of a panel`, {
      hint: 'Names have letters, digits, - and _, at most 64, and begin with a letter or digit.',
    });
  }
  const { changes } = db
    .insert(panels)
    .values({ name, description: description ?? null, createdAt: at })
    .onConflictDoNothing()
    .run();
  return changes === 1;
}

/** Holds the lock from the start, so that what is read stays true until the commit. */
const changeAtOnce = <T>({ $client }: Db, change: () => T): T => $client.transaction(change).immediate();
