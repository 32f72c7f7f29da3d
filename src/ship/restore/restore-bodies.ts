import { TrawlError } from '../../errors.ts';
import { toRawPage } from '../../raw-bodies.ts';
import { rawPages } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { compileInsert } from '../../store/sqlite/statement.ts';
import type { NamedFact } from './read-shipped-entries.ts';

/** Prepares the restoring of bodies, compressed again. Crawls are there. */
export function prepareBodies(db: Db) {
  const insert = compileInsert(db, rawPages);

  /** Stores a body. Returns its id. @throws TrawlError if it is not what its digest says */
  function add(fact: NamedFact): number {
    const { hash, ...page } = toRawPage({ body: fact['body'] as Uint8Array });
    if (hash !== fact['digest'])
      throw new TrawlError(
        `a body of entry ${String(fact['entry'])} of the store ${String(fact['store'])} is damaged`,
        {
          hint: 'Restore the target from a backup.',
        },
      );
    const { endpoint, parameters, status, headers, fetched_at: fetchedAt, crawl_id: crawlId } = fact;
    return insert.run({ ...page, hash, endpoint, parameters, status, headers, fetchedAt, crawlId }).lastInsertRowid;
  }

  return {
    add: (fact: NamedFact): void => void add(fact),
    /** Stores the bodies of a step. Returns the id of the first; null if there are none. */
    addAll: (facts: readonly NamedFact[]): number | null => facts.map(add)[0] ?? null,
  };
}
