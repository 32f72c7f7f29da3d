import type { Db } from '#store/sqlite/database.ts';

/** A field whose unreadable values were left out of stored items. */
export interface DroppedFieldGroup {
  readonly endpoint: string;
  /** Item type and field: `tweet.created_at`. */
  readonly field: string;
  readonly reason: string;
  readonly values: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** The first value in its newest crawl. */
  readonly sample: string;
  readonly crawlId: number;
}

/** Dropped fields of all crawls, or of the given crawls, the most common first. */
export const readDroppedFields = ({ $client }: Db, crawlIds?: readonly number[]): DroppedFieldGroup[] =>
  $client
    .prepare<[{ ids: string | null }], DroppedFieldGroup>(
      `select g.*, d.sample from (
         select endpoint, field, reason, sum(occurrences) as [values], min(first_seen_at) as firstAt, max(last_seen_at) as lastAt,
           max(crawl_id) as crawlId
         from _dropped_fields where @ids is null or crawl_id in (select value from json_each(@ids))
         group by endpoint, field, reason) g
       join _dropped_fields d on d.crawl_id = g.crawlId and d.endpoint = g.endpoint and d.field = g.field and d.reason = g.reason
       order by [values] desc, g.endpoint, g.field`,
    )
    .all({ ids: crawlIds === undefined ? null : JSON.stringify(crawlIds) });
