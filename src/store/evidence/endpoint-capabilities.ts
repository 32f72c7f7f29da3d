import { sql } from 'drizzle-orm';
import { CAPABILITY_MAX_AGE } from '../../kinds/kinds.ts';
import type { CursorSupport, PageSize } from '../schema/messages.ts';
import { endpointCapabilities } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';

const { endpoint, cursorSupport, largestPageItems, largestPageSeenAt } = endpointCapabilities;

/** Keeps what was learnt of endpoints. A cursor that was followed once is known to work: one ignored later is a fault. */
export function prepareEndpointCapabilities(db: Db) {
  const upsertCursor = db
    .insert(endpointCapabilities)
    .values({
      endpoint: sql.placeholder('endpoint'),
      cursorSupport: sql.placeholder('cursor'),
      cursorSeenAt: sql.placeholder('at'),
    })
    .onConflictDoUpdate({
      target: endpoint,
      set: { cursorSupport: sql`excluded.cursor_support`, cursorSeenAt: sql`excluded.cursor_seen_at` },
      setWhere: sql`${cursorSupport} is not 'followed'`,
    })
    .prepare();
  const upsertPage = db
    .insert(endpointCapabilities)
    .values({
      endpoint: sql.placeholder('endpoint'),
      largestPageItems: sql.placeholder('entries'),
      largestPageSeenAt: sql.placeholder('at'),
    })
    .onConflictDoUpdate({
      target: endpoint,
      set: {
        largestPageItems: sql`excluded.largest_page_items`,
        largestPageSeenAt: sql`excluded.largest_page_seen_at`,
      },
      // Two pages under way at once: the longer one stays.
      setWhere: sql`${largestPageItems} is null or excluded.largest_page_items >= ${largestPageItems}
        or excluded.largest_page_seen_at - ${largestPageSeenAt} > ${CAPABILITY_MAX_AGE}`,
    })
    .prepare();
  return {
    /** @param length of a page that is as long as any was seen to be lately. */
    recordPageSize(length: PageSize, at: number): void {
      upsertPage.run({ ...length, at });
    },
    recordCursorSupport({ endpoint: name, cursor }: CursorSupport, at: number): void {
      upsertCursor.run({ endpoint: name, cursor, at });
    },
  };
}
