import type { Fact } from '#store/outbox/fact-tables.ts';
import type { Outbox } from '#store/outbox/outbox.ts';
import type { Db } from '#store/sqlite/database.ts';

const FACTS =
  'select e.erased_at, e.key, t.hash, e.mentions from _tombstones t join _erasures e on e.id = t.erasure_id';

/** The tombstones of a snapshot: the columns of a fact after the crawl. */
export const TOMBSTONES_AS_FACTS = FACTS.replace('select', 'select null,');

/**
 * Records tombstones for the targets of shipping, which hide these accounts in what they have, inside the caller's
 * transaction.
 * @param hashes only these
 */
export function recordTombstoneFacts(
  db: Db,
  outbox: Pick<Outbox, 'append'>,
  at: number,
  hashes?: readonly string[],
): void {
  const only = hashes && ' where t.hash in (select value from json_each(?))';
  outbox.append(null, at, () => ({
    erasures: db.$client
      .prepare<unknown[], Fact>(`${FACTS}${only ?? ''}`)
      .raw()
      .all(...(hashes ? [JSON.stringify(hashes)] : [])),
  }));
}
