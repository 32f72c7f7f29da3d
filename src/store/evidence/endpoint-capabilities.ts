import { type SQL, sql } from 'drizzle-orm';
import { CAPABILITY_MAX_AGE } from '../../kinds/kinds.ts';
import { mergeColumns, takeObserved } from '../merge/merge-rules.ts';
import type { CursorSupport, PageSize } from '../schema/messages.ts';
import { endpointCapabilities } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { placeholders } from '../sqlite/statement.ts';

const { endpoint, cursorSupport, largestPageItems, largestPageSeenAt } = endpointCapabilities;

/** Stores observed properties of endpoints. A cursor that was followed once works: one ignored later is an error. */
export function prepareEndpointCapabilities(db: Db) {
  const upsert = (columns: readonly (keyof typeof endpointCapabilities.$inferInsert)[], setWhere: SQL) =>
    db
      .insert(endpointCapabilities)
      .values(placeholders(endpointCapabilities, ['endpoint', ...columns]))
      .onConflictDoUpdate({
        target: endpoint,
        set: mergeColumns(endpointCapabilities, columns, takeObserved),
        setWhere,
      })
      .prepare();
  const upsertCursor = upsert(['cursorSupport', 'cursorSeenAt'], sql`${cursorSupport} is not 'followed'`);
  // Of two concurrent pages, the larger one remains.
  const upsertPage = upsert(
    ['largestPageItems', 'largestPageSeenAt'],
    sql`${largestPageItems} is null or excluded.largest_page_items >= ${largestPageItems}
      or excluded.largest_page_seen_at - ${largestPageSeenAt} > ${CAPABILITY_MAX_AGE}`,
  );
  return {
    /** @param size that of a page that is as large as any recent one */
    recordPageSize(size: PageSize, at: number): void {
      upsertPage.run({ endpoint: size.endpoint, largestPageItems: size.entries, largestPageSeenAt: at });
    },
    recordCursorSupport(support: CursorSupport, at: number): void {
      upsertCursor.run({ endpoint: support.endpoint, cursorSupport: support.cursor, cursorSeenAt: at });
    },
  };
}
