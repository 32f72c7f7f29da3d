import { eq, max, sql } from 'drizzle-orm';
import type { Facts } from '../../ship/facts/fact-tables.ts';
import type { Observation, RawPage, RequestEntry } from '../schema/messages.ts';
import { crawls, runs, shipBodies, shipOutbox, shipTargets } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, compileInsert, compileStatement, pickColumns, placeholder } from '../sqlite/statement.ts';
import { collectObservations, toBodyFacts, toRequestFacts } from './page-facts.ts';

/**
 * Records facts to ship, in the transaction of what they are about. Without a target, each call is one look-up in an empty
 * table.
 */
export type Outbox = ReturnType<typeof prepareOutbox>;

/** Prepares the recording of facts. Facts are computed only if there is a target. */
export function prepareOutbox(db: Db) {
  // Of several targets, one that wants bodies comes first.
  const findTarget = compileStatement(
    db
      .select({ bodiesSince: shipTargets.bodiesSince })
      .from(shipTargets)
      .orderBy(sql`${shipTargets.bodiesSince} is null`),
  );
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
  const insertBody = compileInsert(db, shipBodies);
  const findCrawl = compileStatement(
    db
      .select({
        ...pickColumns(crawls, [
          'kind',
          'target',
          'handle',
          'targetRestId',
          'options',
          'priority',
          'parentId',
          'rootId',
        ]),
        jobName: runs.jobName,
        ...pickColumns(crawls, ['state', 'reason', 'ending', 'error', 'pages', 'items', 'rejectedItems', 'requests']),
        ...pickColumns(crawls, ['createdAt', 'startedAt', 'finishedAt', 'erasedItems']),
      })
      .from(crawls)
      .leftJoin(runs, eq(runs.id, crawls.runId))
      .where(eq(crawls.id, bound.id)),
  );

  /** @param bodies those of the page, for targets that want them */
  function append(crawlId: number | null, at: number, collect: () => Facts, bodies: readonly RawPage[] = []): void {
    const found = findTarget.get({}) as [number | null] | undefined;
    if (!found) return;
    const shown = found[0] === null ? [] : bodies;
    const filled = Object.entries({ ...collect(), bodies: toBodyFacts(shown) }).filter(([, rows]) => rows.length > 0);
    if (filled.length === 0) return;
    const facts = JSON.stringify(Object.fromEntries(filled));
    const [total] = findTotal.get({}) as [number];
    const bytes = shown.reduce((sum, { body }) => sum + body.length, Buffer.byteLength(facts));
    const { lastInsertRowid: entry } = insert.run({ at, crawlId, facts, to: total + bytes });
    for (const [number, { encoding, body }] of shown.entries()) insertBody.run({ entry, number, encoding, body });
  }

  const collectCrawl = (id: number, at: number) =>
    [at, ...(findCrawl.get({ id }) ?? [])] as NonNullable<Facts['crawls']>[0];

  return {
    append,

    /** Records what became of crawls: each has an entry of its own. */
    recordCrawls(ids: readonly number[], at: number): void {
      for (const id of ids) append(id, at, () => ({ crawls: [collectCrawl(id, at)] }));
    },

    recordRequests(crawlId: number, requests: readonly RequestEntry[]): void {
      if (requests.length > 0) append(crawlId, requests.at(-1)!.at, () => ({ requests: toRequestFacts(requests) }));
    },

    /** Records the rows of a response, whose other facts were recorded before. */
    recordObservation: (crawlId: number, observation: Observation): void =>
      append(crawlId, observation.at, () => collectObservations([observation], () => ({ firstRank: 0, listed: 0 }))),
  };
}
