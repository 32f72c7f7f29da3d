import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { Db } from '#store/sqlite/database.ts';

/** What the crawls of a run did, child crawls included. */
export interface RunTotals {
  readonly runId: number;
  /** The number of its root crawls by state. */
  readonly states: Readonly<Partial<Record<CrawlRow['state'], number>>>;
  /** Why root crawls failed or ended partial, the most frequent reason first. */
  readonly reasons: readonly {
    readonly state: 'failed' | 'partial';
    readonly reason: string | null;
    readonly n: number;
  }[];
  readonly requests: number;
  readonly newItems: number;
  /** Changes of known items. */
  readonly changes: number;
  /** The tweets and accounts that the service no longer has. */
  readonly gone: number;
  /** When its last crawl ended; null before. */
  readonly finishedAt: number | null;
}

type Sums = Pick<RunTotals, 'requests' | 'newItems' | 'changes' | 'gone' | 'finishedAt'> & {
  readonly unfinished: number;
};

/** Prepares reading the totals of runs by their ids. A crawl that a later run joined is counted in that run. */
export function prepareRunTotals({ $client }: Db): (runId: number) => RunTotals {
  const readRoots = $client.prepare<
    [number],
    { readonly state: CrawlRow['state']; readonly reason: string | null; readonly n: number }
  >(
    `select state, iif(state in ('failed', 'partial'), reason, null) as reason, count(*) as n from crawls
     where run_id = ? and parent_id is null group by 1, 2 order by 3 desc, 2`,
  );
  const readSums = $client.prepare<[number], Sums>(
    `with roots(id) as (select id from crawls where run_id = ? and parent_id is null)
     select coalesce(sum(requests), 0) as requests, coalesce(sum(new_items), 0) as newItems,
       coalesce(sum(changes), 0) as changes, count(*) filter (where reason in ('deleted', 'unavailable')) as gone,
       max(finished_at) as finishedAt,
       count(*) filter (where finished_at is null) as unfinished
     from crawls where id in (
       select id from roots union select descendant_id from roots join _crawl_tree on root_id = roots.id)`,
  );
  return (runId) => {
    const states: Partial<Record<CrawlRow['state'], number>> = {};
    const reasons: { state: 'failed' | 'partial'; reason: string | null; n: number }[] = [];
    for (const { state, reason, n } of readRoots.all(runId)) {
      states[state] = (states[state] ?? 0) + n;
      if (state === 'failed' || state === 'partial') reasons.push({ state, reason, n });
    }
    const { unfinished, finishedAt, ...sums } = readSums.get(runId)!;
    return { runId, states, reasons, ...sums, finishedAt: unfinished > 0 ? null : finishedAt };
  };
}
