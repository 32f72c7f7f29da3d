import { type SQL, sql } from 'drizzle-orm';
import { CAPABILITY_MAX_AGE } from '../../kinds/kinds.ts';
import { compileUpsert, type Rule, takeObserved } from '../merge/merge-rules.ts';
import type { CursorSupport, PageSize } from '../schema/messages.ts';
import { endpointCapabilities } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';

const { cursorSupport, largestPageItems, largestPageSeenAt } = endpointCapabilities;

/** Stores observed properties of endpoints. A cursor that was followed once works: one ignored later is an error. */
export function prepareEndpointCapabilities(db: Db) {
  const upsert = (rules: Readonly<Record<string, Rule>>, setWhere: SQL) =>
    compileUpsert(db, endpointCapabilities, ['endpoint'], rules, { setWhere });
  const upsertCursor = upsert(
    { cursorSupport: takeObserved, cursorSeenAt: takeObserved },
    sql`${cursorSupport} is not 'followed'`,
  );
  // Of two concurrent pages, the larger one remains.
  const upsertPage = upsert(
    { largestPageItems: takeObserved, largestPageSeenAt: takeObserved },
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
