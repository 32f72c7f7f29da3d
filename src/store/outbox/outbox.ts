import { max, sql } from 'drizzle-orm';
import type { Observation, RequestEntry } from '#store/schema/commit-messages.ts';
import { shipOutbox, shipTargets } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { bound, compileStatement, placeholder } from '#store/sqlite/statement.ts';
import { type Fact, FACT_TABLES, type Facts } from './fact-tables.ts';
import { collectObservations, toRequestFacts } from './page-facts.ts';

/**
 * Records facts to ship, in the transaction of what they are about. Without a target, each call is one look-up in an empty
 * table.
 */
export type Outbox = ReturnType<typeof prepareOutbox>;

/** Crawls `c` in SQL, and the columns of their facts, without the time. */
export const CRAWLS = 'from crawls c left join runs r on r.id = c.run_id';
export const CRAWL_COLUMNS = Object.keys(FACT_TABLES.crawls.columns)
  .slice(1)
  .map((column) => (column === 'job_name' ? 'r.job_name' : `c.${column}`))
  .join(', ');

/** Prepares the recording of facts. Facts are computed only if there is a target. */
export function prepareOutbox(db: Db) {
  const findTarget = compileStatement(db.select({ id: shipTargets.id }).from(shipTargets));
  const findTotal = compileStatement(
    db
      .select({
        total: sql`coalesce((select ${shipOutbox.totalBytes} from ${shipOutbox} order by ${shipOutbox.id} desc limit 1),
        (select ${max(shipTargets.shippedBytes)} from ${shipTargets}))`,
      })
      .from(sql`(select 1)`),
  );
  const insert = compileStatement(
    db.insert(shipOutbox).values({
      recordedAt: bound.at,
      crawlId: bound.crawlId,
      facts: placeholder('facts') as unknown as string,
      totalBytes: bound.to as unknown as number,
    }),
  );
  const findCrawl = db.$client.prepare<[id: number], Fact>(`select ${CRAWL_COLUMNS} ${CRAWLS} where c.id = ?`).raw();

  function append(crawlId: number | null, at: number, collect: () => Facts): void {
    if (!findTarget.get({})) return;
    const filled = Object.entries(collect()).filter(([, rows]) => rows.length > 0);
    if (filled.length === 0) return;
    const facts = JSON.stringify(Object.fromEntries(filled));
    const [total] = findTotal.get({}) as [number];
    insert.run({ at, crawlId, facts, to: total + Buffer.byteLength(facts) });
  }

  return {
    append,

    /** Records what became of crawls: each has an entry of its own. */
    recordCrawls(ids: readonly number[], at: number): void {
      for (const id of ids) append(id, at, () => ({ crawls: [[at, ...(findCrawl.get(id) ?? [])]] }));
    },

    recordRequests(crawlId: number, requests: readonly RequestEntry[]): void {
      if (requests.length > 0) append(crawlId, requests.at(-1)!.at, () => ({ requests: toRequestFacts(requests) }));
    },

    /** Records the rows of a response, whose other facts were recorded before. */
    recordObservation: (crawlId: number, observation: Observation): void =>
      append(crawlId, observation.at, () => collectObservations([observation], () => ({ firstRank: 0, listed: 0 }))),
  };
}
