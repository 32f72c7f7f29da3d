import { listSpellings } from '../base/text.ts';
import type { Db } from '../store/sqlite/database.ts';

/** An account that has or had a handle, with its current handle. */
export interface Holder {
  readonly restId: string;
  readonly screenName: string | null;
}

/** The holders of a handle. Handles are renamed and reused; ids are not. */
export interface HandleHolders {
  /** The account that has it now; undefined if the store knows none. */
  readonly current: Holder | undefined;
  /** Other accounts that were seen with it, the latest first. */
  readonly previous: readonly Holder[];
}

/** Reads the holders of a handle, whatever its case. */
export const readHolders = (db: Db, handle: string): HandleHolders => prepareHolders(db)(handle);

/** Prepares reading the holders of many handles. */
export function prepareHolders({ $client }: Db): (handle: string) => HandleHolders {
  const select = $client.prepare<[string, string], Holder & { readonly has: 0 | 1 }>(
    `select rest_id as restId, screen_name as screenName, max(has) as has from (
         select u.rest_id, u.screen_name, 1 as has, s.last_seen_at from json_each(?) spelling
           join users u on u.screen_name = spelling.value collate nocase left join _user_last_seen s on s.user_id = u.id
         union all
         select u.rest_id, u.screen_name, 0, h.last_seen_at from json_each(?) spelling
           join user_history h on h.screen_name = spelling.value collate nocase join users u on u.id = h.user_id
       ) group by rest_id order by max(has) desc, max(last_seen_at) desc`,
  );
  return (handle) => {
    const spellings = JSON.stringify(listSpellings(handle));
    const holders = select.all(spellings, spellings).map(({ has, ...holder }) => ({ has: has === 1, holder }));
    const [first] = holders;
    const present = first?.has ? first.holder : undefined;
    return { current: present, previous: holders.map(({ holder }) => holder).filter((holder) => holder !== present) };
  };
}

/** The account that a handle means without doubt: its current holder, or its only previous holder. */
export const resolveHolder = ({ current, previous }: HandleHolders): Holder | undefined =>
  current ?? (previous.length === 1 ? previous[0] : undefined);
