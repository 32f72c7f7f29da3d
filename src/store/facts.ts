import { sql } from 'drizzle-orm';
import type { Db } from './database.ts';
import type { CursorFact } from './messages.ts';
import { endpointFacts } from './schema.ts';

/** Keeps what was learnt of endpoints. A cursor that was followed once is known to work: one ignored later is a fault. */
export function prepareFacts(db: Db) {
  const upsert = db
    .insert(endpointFacts)
    .values({ endpoint: sql.placeholder('endpoint'), cursor: sql.placeholder('cursor'), seenAt: sql.placeholder('at') })
    .onConflictDoUpdate({
      target: endpointFacts.endpoint,
      set: { cursor: sql`excluded.cursor`, seenAt: sql`excluded.seen_at` },
      setWhere: sql`${endpointFacts.cursor} = 'ignored' or excluded.cursor = 'followed' and ${endpointFacts.cursor} <> 'followed'`,
    })
    .prepare();
  return {
    learn({ endpoint, cursor }: CursorFact, at: number): void {
      upsert.run({ endpoint, cursor, at });
    },
  };
}
