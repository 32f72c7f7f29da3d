import type { Db } from '../sqlite/database.ts';
import type { CrawlRow } from './crawl-row.ts';

/** An unfinished crawl, as far as the queue needs to know it. */
export type PendingCrawl = Pick<
  CrawlRow,
  'id' | 'kind' | 'class' | 'reason' | 'resumeAt' | 'claimedBy' | 'claimedUntil'
>;

/** Unfinished crawls, read in parts: a store may have hundreds of thousands of them. */
export interface PendingReads {
  /** The first ones after an id, in the order of their ids. */
  pendingAfter(after: number, most: number): PendingCrawl[];
  /** Those of the given ids that are unfinished. */
  pendingAmong(ids: readonly number[]): PendingCrawl[];
  /** Those of the given ids that have descendants. */
  withDescendants(ids: readonly number[]): number[];
  /** The first descendants of a crawl after an id, in the order of their ids, that are unfinished. */
  pendingDescendants(rootId: number, after: number, most: number): PendingCrawl[];
  /** Whether any crawl is unfinished, and how many are. */
  hasPending(): boolean;
  pendingCount(): number;
  /** The unfinished crawls of a kind, by what identifies them. */
  pendingIdentities(kind: string): Pick<CrawlRow, 'kind' | 'target' | 'options'>[];
}

const COLUMNS = ['id', 'kind', 'class', 'reason', 'resume_at as resumeAt', 'claimed_by as claimedBy']
  .concat('claimed_until as claimedUntil')
  .map((column) => `c.${column}`)
  .join(', ');

export function preparePendingReads({ $client }: Db): PendingReads {
  const after = $client.prepare<[number, number], PendingCrawl>(
    `select ${COLUMNS} from crawls c indexed by crawls_pending where finished_at is null and id > ? order by id limit ?`,
  );
  const among = $client.prepare<[string], PendingCrawl>(
    `select ${COLUMNS} from crawls c
     where id in (select value from json_each(?)) and finished_at is null order by id`,
  );
  const roots = $client
    .prepare<[string], number>(
      `select value from json_each(?) where exists (select 1 from crawl_family where root_id = value)`,
    )
    .pluck();
  const descendants = $client.prepare<[number, number, number], PendingCrawl>(
    `select ${COLUMNS} from crawl_family f cross join crawls c on c.id = f.crawl_id
     where f.root_id = ? and f.crawl_id > ? and c.finished_at is null order by f.crawl_id limit ?`,
  );
  const any = $client
    .prepare<[], number>('select exists (select 1 from crawls indexed by crawls_pending where finished_at is null)')
    .pluck();
  const count = $client
    .prepare<[], number>('select count(*) from crawls indexed by crawls_pending where finished_at is null')
    .pluck();
  const identities = $client.prepare<[string], Pick<CrawlRow, 'kind' | 'target' | 'options'>>(
    'select kind, target, options from crawls indexed by crawls_unfinished where kind = ? and finished_at is null',
  );
  return {
    pendingAfter: (id, most) => after.all(id, most),
    pendingAmong: (ids) => (ids.length === 0 ? [] : among.all(JSON.stringify(ids))),
    withDescendants: (ids) => roots.all(JSON.stringify(ids)),
    pendingDescendants: (rootId, id, most) => descendants.all(rootId, id, most),
    hasPending: () => any.get() === 1,
    pendingCount: () => count.get()!,
    pendingIdentities: (kind) => identities.all(kind),
  };
}
