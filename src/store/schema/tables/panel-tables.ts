import { sql } from 'drizzle-orm';
import { integer, sqliteTable, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { id, key, label, text } from './columns.ts';

/** Panels: named sets of accounts, which `trawl panel` manages. */
export const panels = sqliteTable('panels', {
  id: id(),
  /** Letters, digits, - and _. */
  name: label('name').notNull().unique(),
  description: text('description', 'notes'),
  createdAt: integer('created_at').notNull(),
});

/** The accounts of panels, one row per membership. An account that was removed and added again has two. */
export const panelMembers = sqliteTable(
  'panel_members',
  {
    id: id(),
    panelId: key('panel_id', () => panels.id),
    /** The service's id of the account, which need not be stored. */
    restId: text('rest_id', 'account id').notNull(),
    /** The handle of the account when it was added; null if it was unknown. */
    handle: text('handle', 'former handle'),
    /** The note. */
    note: text('note', 'notes'),
    /** When it was added. */
    addedAt: integer('added_at').notNull(),
    /** When it was removed; null for a current member. */
    removedAt: integer('removed_at'),
  },
  (t) => [
    uniqueIndex('panel_members_current')
      .on(t.panelId, t.restId)
      .where(sql`removed_at is null`),
  ],
);
