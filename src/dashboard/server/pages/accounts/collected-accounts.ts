import { SECOND } from '../../../../base/clock.ts';
import { ACCOUNT_KINDS } from '../../../../service/kinds/crawl-spec.ts';
import type { KindName } from '../../../../service/kinds/kinds.ts';
import type { ReadContext } from '../../reader/read.ts';

const formatKinds = (kinds: readonly KindName[]): string => kinds.map((kind) => `'${kind}'`).join(', ');

/** Returns a statement that returns the internal ids of the accounts that crawls of these kinds were of. */
export const selectCollected = (kinds: readonly KindName[]): string =>
  `select id from users where rest_id in (
    select target_rest_id from crawls indexed by crawls_account where target_rest_id is not null and kind in (${formatKinds(kinds)})
  )`;

/** Stored accounts that were collected by the same kinds of crawls. */
export interface CollectedGroup {
  readonly kinds: readonly KindName[];
  readonly n: number;
}

/** A store with more crawls is a large one: its counts take some tenths of a second, and are kept for some seconds. */
const LARGE = 20_000;

/** Groups the targets of crawls that are stored accounts by the kinds of their crawls. */
export function groupCollected({ db: { $client }, remember }: ReadContext): readonly CollectedGroup[] {
  const newest = $client.prepare<[], number | null>('select max(id) from crawls').pluck().get() ?? 0;
  return remember('collected accounts', newest > LARGE ? 10 * SECOND : 0, () => {
    const flags = ACCOUNT_KINDS.map((kind, i) => `max(kind = '${kind}') * ${2 ** i}`).join(' + ');
    return $client
      .prepare<[], { mask: number; n: number }>(
        `select mask, count(*) as n from (
           select target_rest_id, ${flags} as mask from crawls indexed by crawls_account
           where kind in (${formatKinds(ACCOUNT_KINDS)}) and target_rest_id is not null group by target_rest_id
         ) where exists (select 1 from users where rest_id = target_rest_id) group by mask`,
      )
      .all()
      .map(({ mask, n }) => ({ n, kinds: ACCOUNT_KINDS.filter((_, i) => (mask & (2 ** i)) !== 0) }));
  });
}

/** The number of accounts that crawls of any of these kinds were of. */
export const countCollected = (groups: readonly CollectedGroup[], wanted: readonly KindName[]): number =>
  groups.reduce((sum, { kinds, n }) => (kinds.some((kind) => wanted.includes(kind)) ? sum + n : sum), 0);
