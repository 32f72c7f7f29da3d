import { getKind } from '#service/kinds/kinds.ts';
import type { Db } from '#store/sqlite/database.ts';

/** A field of an endpoint in a form that the specification does not have. */
export interface UnusualField {
  readonly endpoint: string;
  readonly field: string;
  readonly lastSeen: number;
  readonly sample: string;
}

/** The start of the newest day of each endpoint, computed once: what was seen since is current. */
const WITH_CURRENT = `with current(name, since) as materialized (
  select endpoint, unixepoch(max(day)) * 1000 from _field_statistics group by endpoint)`;

/** Fields of the specification whose current values cannot be read. */
export const findUnreadableFields = ({ $client }: Db): UnusualField[] =>
  $client
    .prepare<[], UnusualField>(
      `${WITH_CURRENT} select endpoint, field, max(last_seen_at) as lastSeen, sample
       from _dropped_fields join current on name = endpoint where last_seen_at >= since
       group by endpoint, field order by endpoint, field`,
    )
    .all();

/**
 * The current unusual forms of cursors, by their names in `_drift`. An unreadable one is returned only while it leaves
 * a list incomplete: until a later crawl has read all of the list, as `v_completeness` decides it.
 */
export function findUnusualCursors({ $client }: Db): UnusualField[] {
  const incomplete = $client
    .prepare<[], string>(
      `select distinct kind from crawls c where state = 'partial' and reason = 'cursor_unreadable' and not exists (
         select 1 from crawls d where d.kind = c.kind and d.id > c.id and d.state in ('complete', 'capped')
           and (d.ending is null or d.ending not in ('since', 'joined') or d.ending = 'joined' and d.options ->> '$.since' is null)
           and (d.target = c.target or d.target_rest_id = c.target_rest_id))`,
    )
    .pluck()
    .all();
  return $client
    .prepare<[string], UnusualField>(
      `${WITH_CURRENT} select endpoint, field, last_seen_at as lastSeen, coalesce(sample, '') as sample
       from _drift join current on name = endpoint where field like 'cursor (%' and last_seen_at >= since
         and (field <> 'cursor (unreadable)' or endpoint in (select value from json_each(?)))
       order by endpoint, field`,
    )
    .all(JSON.stringify(incomplete.map((kind) => getKind(kind).endpoint)));
}
