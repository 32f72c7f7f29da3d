import { ACCOUNT_KINDS } from '../../service/kinds/crawl-spec.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** The latest crawls of a kind that are read: those of an account that is gone fail one after the other. */
const MAX_CRAWLS = 20;

/**
 * Prepares reading the last time when the service answered that it does not have an account; null if it never did. The
 * evidence is that of `v_unavailable_accounts`: a 404 for its id. It is void if the account was seen later.
 */
export function prepareUnavailableAt({ $client }: Db): (restId: string, targets: readonly string[]) => number | null {
  const isForId = `status = 404 and endpoint in ('followers', 'following')`;
  const select = $client
    .prepare<[string, string, string], number | null>(
      `select max((select max(sent_at) from requests where crawl_id = c.id and ${isForId}))
       from (select * from crawls where kind = ? and target = ? order by id desc limit ${MAX_CRAWLS}) c
       where (state = 'failed' and reason = 'not_found' or reason = 'unavailable') and (target glob 'id:*' or ? = coalesce(target_rest_id,
         (select parameters ->> '$.restId' from raw_pages where crawl_id = c.id and ${isForId} order by id desc limit 1)))`,
    )
    .pluck();
  return (restId, targets) => {
    const times = ACCOUNT_KINDS.flatMap((kind) => targets.map((target) => select.get(kind, target, restId) ?? null));
    return times.reduce((latest, at) => (latest === null || (at !== null && at > latest) ? at : latest), null);
  };
}
