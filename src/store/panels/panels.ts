import { UsageError } from '#base/errors.ts';
import { suggestNames } from '#base/text.ts';
import type { Db } from '#store/sqlite/database.ts';

/** Reads of panels: named sets of accounts, bound to ids. Times are ISO 8601. */

/** A panel, with the numbers of its current members: in total, and by what has happened to their accounts. */
export interface Panel {
  readonly name: string;
  readonly description: string | null;
  readonly createdAt: string;
  readonly members: number;
  readonly renamed: number;
  readonly unavailable: number;
  readonly unseen: number;
}

/** The membership of an account in a panel. */
export interface PanelMember {
  readonly restId: string;
  /** The handle of the account when it was added; null if it was unknown. */
  readonly handle: string | null;
  readonly note: string | null;
  /** The current handle of the account; null if it is not stored. */
  readonly screenName: string | null;
  /** What has happened to the account, as far as the store knows. The data dictionary has the evidence. */
  readonly state: 'unavailable' | 'renamed' | 'unseen' | null;
  /** When the service first answered 404, for an unavailable account. */
  readonly noticedAt: string | null;
  readonly addedAt: string;
  /** Null for a current member. */
  readonly removedAt: string | null;
}

const MEMBERSHIPS = `select rest_id as restId, handle, note, screen_name as screenName, state, noticed_at as noticedAt,
  added_at as addedAt, removed_at as removedAt from v_panel_members where panel = ?`;

/** Returns all panels, by name. */
export const readPanels = ({ $client }: Db): Panel[] =>
  $client
    .prepare<[], Panel>(
      `select p.name, p.description, strftime('%Y-%m-%dT%H:%M:%fZ', p.created_at / 1000.0, 'unixepoch') as createdAt,
         count(m.rest_id) as members, count(*) filter (where m.state = 'renamed') as renamed,
         count(*) filter (where m.state = 'unavailable') as unavailable,
         count(*) filter (where m.state = 'unseen') as unseen
       from panels p left join v_panel_members m on m.panel = p.name and m.removed_at is null
       group by p.id order by p.name`,
    )
    .all();

/** Returns the current members of a panel, in the order of their addition. @throws UsageError if there is no such panel */
export function readPanelMembers(db: Db, name: string): PanelMember[] {
  requirePanel(db, name);
  return db.$client.prepare<[string], PanelMember>(`${MEMBERSHIPS} and removed_at is null order by id`).all(name);
}

/** Returns all memberships of a panel, also those that ended. @throws UsageError if there is no such panel */
export function readMemberships(db: Db, name: string): PanelMember[] {
  requirePanel(db, name);
  return db.$client.prepare<[string], PanelMember>(`${MEMBERSHIPS} order by id`).all(name);
}

/** Returns the names of all panels, in order. */
export const listPanelNames = ({ $client }: Db): string[] =>
  $client.prepare<[], string>('select name from panels order by name').pluck().all();

/** Returns the store's number of a panel. @throws UsageError if there is no such panel */
export function requirePanel(db: Db, name: string): number {
  const id = db.$client.prepare<[string], number>('select id from panels where name = ?').pluck().get(name);
  if (id === undefined) throw unknownPanelError(name, listPanelNames(db));
  return id;
}

/** The error for a name that no panel has, with similar names. */
export function unknownPanelError(name: string, known: readonly string[]): UsageError {
  const near = suggestNames(name, known).join(', ');
  return new UsageError(`there is no panel ${name}`, {
    hint: near === '' ? undefined : `Did you mean ${near}?`,
    command:
      known.length === 0
        ? { name: 'panel create', args: name, result: 'creates it' }
        : { name: 'panel', result: 'lists all panels' },
  });
}
