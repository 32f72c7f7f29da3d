import { IS_REPLACED } from '../../../../store/crawls/crawl-conditions.ts';
import type { Db } from '../../../../store/sqlite/database.ts';

/** The failed crawls that no later crawl repeats or replaces: they need a person. */
export interface FailedCrawls {
  readonly total: number;
  /** The ids of the newest ones, newest first. */
  readonly newest: readonly number[];
  /** By reason, the most frequent first, with the last end and the error of that crawl. */
  readonly reasons: readonly FailedReason[];
}

interface FailedReason {
  readonly reason: string | null;
  readonly n: number;
  readonly lastAt: number | null;
  readonly error: string | null;
}

interface FailedRow {
  readonly id: number;
  readonly reason: string | null;
  readonly at: number | null;
}

/** Reads them in one scan: there are few failures among many crawls. @param most the number of ids */
export function readFailedCrawls({ $client }: Db, most: number): FailedCrawls {
  const rows = $client
    .prepare<[], FailedRow>(
      `select id, reason, finished_at as at from crawls c indexed by crawls_state
       where state = 'failed' and not ${IS_REPLACED}`,
    )
    .all()
    .toSorted((a, b) => b.id - a.id);
  const readError = $client.prepare<[number], string | null>('select error from crawls where id = ?').pluck();
  const groups = new Map<string | null, { n: number; last: FailedRow }>();
  for (const row of rows) {
    const group = groups.get(row.reason);
    if (!group) groups.set(row.reason, { n: 1, last: row });
    else groups.set(row.reason, { n: group.n + 1, last: (row.at ?? 0) > (group.last.at ?? 0) ? row : group.last });
  }
  return {
    total: rows.length,
    newest: rows.slice(0, most).map(({ id }) => id),
    reasons: [...groups]
      .map(([reason, { n, last }]) => ({ reason, n, lastAt: last.at, error: readError.get(last.id) ?? null }))
      .toSorted((a, b) => b.n - a.n),
  };
}
