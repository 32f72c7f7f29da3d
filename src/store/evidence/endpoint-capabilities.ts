import { sql } from 'drizzle-orm';
import { CAPABILITY_MAX_AGE } from '../../kinds/kinds.ts';
import type { CursorSupport, PageSize } from '../schema/messages.ts';
import { endpointFacts, longestPages } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';

/** Keeps what was learnt of endpoints. A cursor that was followed once is known to work: one ignored later is a fault. */
export function prepareEndpointCapabilities(db: Db) {
  const upsert = db
    .insert(endpointFacts)
    .values({ endpoint: sql.placeholder('endpoint'), cursor: sql.placeholder('cursor'), seenAt: sql.placeholder('at') })
    .onConflictDoUpdate({
      target: endpointFacts.endpoint,
      set: { cursor: sql`excluded.cursor`, seenAt: sql`excluded.seen_at` },
      setWhere: sql`${endpointFacts.cursor} = 'ignored' or excluded.cursor = 'followed' and ${endpointFacts.cursor} <> 'followed'`,
    })
    .prepare();
  const longest = db
    .insert(longestPages)
    .values({
      endpoint: sql.placeholder('endpoint'),
      entries: sql.placeholder('entries'),
      seenAt: sql.placeholder('at'),
    })
    .onConflictDoUpdate({
      target: longestPages.endpoint,
      set: { entries: sql`excluded.entries`, seenAt: sql`excluded.seen_at` },
      // Two pages under way at once: the longer one stays.
      setWhere: sql`excluded.entries >= ${longestPages.entries} or excluded.seen_at - ${longestPages.seenAt} > ${CAPABILITY_MAX_AGE}`,
    })
    .prepare();
  return {
    /** @param length of a page that is as long as any was seen to be lately. */
    recordPageSize(length: PageSize, at: number): void {
      longest.run({ ...length, at });
    },
    recordCursorSupport({ endpoint, cursor }: CursorSupport, at: number): void {
      upsert.run({ endpoint, cursor, at });
    },
  };
}
