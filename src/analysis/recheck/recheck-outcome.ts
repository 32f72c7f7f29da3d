import { splitIntoBatches } from '../../base/batches.ts';
import { RECHECK_OPTIONS } from '../../service/kinds/crawl-spec.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { RecheckScope, SelectedItem } from './due-items.ts';

/** What checks have shown of their items. */
export interface RecheckCounts {
  /** Items that the service showed or answered for. */
  readonly checked: number;
  readonly present: number;
  /** Deleted tweets. */
  readonly deleted: number;
  /** Unavailable accounts, or tweets of such accounts. */
  readonly unavailable: number;
  /** Present accounts with another handle than before. */
  readonly renamed: number;
  /** Of these, accounts whose earlier handle another account has now. */
  readonly handlesTaken: number;
  /** Present items that were deleted or unavailable before. */
  readonly restored: number;
}

type State = 'present' | 'deleted' | 'unavailable' | null;

const hasAnswer = (kind: 'tweet' | 'profile', target: string): string =>
  `exists (select 1 from crawls c where c.kind = '${kind}' and c.target = ${target} and c.options = '${RECHECK_OPTIONS}'
     and c.state = 'complete' and c.finished_at >= :since)`;

const UNAVAILABLE = `unavailable(rest_id) as materialized (
  select e.rest_id from _unavailability_evidence e join users u on u.rest_id = e.rest_id
  left join _user_last_seen s on s.user_id = u.id where e.noticed_at > coalesce(s.last_seen_at, 0))`;

const STATES: Readonly<Record<RecheckScope['items'], string>> = {
  tweets: `with ${UNAVAILABLE}
    select t.id, null as screenName, 0 as isTaken, case
      when t.last_seen_at >= :since then 'present'
      when d.confirmed_at >= :since or d.confirmed_at is not null and ${hasAnswer('tweet', 't.rest_id')} then 'deleted'
      when u.rest_id in (select rest_id from unavailable) then 'unavailable' end as state
    from tweets t left join users u on u.id = t.author_id
    left join _deletion_evidence d on d.tweet_id = t.id and d.suspected_at > t.last_seen_at
    where t.id in (select value from json_each(:ids))`,
  users: `with ${UNAVAILABLE}
    select u.id, u.screen_name as screenName, exists (
        select 1 from json_each(:ids) asked join users other on other.screen_name = asked.value ->> '$.screenName' collate nocase
        where asked.value ->> '$.id' = u.id and other.id <> u.id
      ) as isTaken, case
      when s.last_seen_at >= :since then 'present'
      when u.rest_id in (select rest_id from unavailable) and ${hasAnswer('profile', "'id:' || u.rest_id")} then 'unavailable'
      end as state
    from users u left join _user_last_seen s on s.user_id = u.id
    where u.id in (select value ->> '$.id' from json_each(:ids))`,
};

/** Reads what has become of selected items since a time, milliseconds UTC. */
export function readRecheckCounts(
  { $client }: Db,
  kind: RecheckScope['items'],
  items: readonly SelectedItem[],
  since: number,
): RecheckCounts {
  const read = $client.prepare<[object], { id: number; screenName: string | null; isTaken: 0 | 1; state: State }>(
    STATES[kind],
  );
  const counts = { present: 0, deleted: 0, unavailable: 0, renamed: 0, handlesTaken: 0, restored: 0 };
  for (const batch of splitIntoBatches(items)) {
    const before = new Map(batch.map((item) => [item.id, item]));
    const ids = JSON.stringify(kind === 'tweets' ? batch.map(({ id }) => id) : batch);
    for (const { id, screenName, isTaken, state } of read.all({ ids, since })) {
      const item = before.get(id)!;
      if (state === null) continue;
      counts[state] += 1;
      if (state !== 'present') continue;
      if (item.wasGone) counts.restored += 1;
      if (item.screenName === null || item.screenName.toLowerCase() === screenName?.toLowerCase()) continue;
      counts.renamed += 1;
      counts.handlesTaken += isTaken;
    }
  }
  return { checked: counts.present + counts.deleted + counts.unavailable, ...counts };
}
