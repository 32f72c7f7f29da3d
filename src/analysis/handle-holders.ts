import { listSpellings } from '#base/text.ts';
import type { Db } from '#store/sqlite/database.ts';

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

/** `nasa is now called nasa_then (id:1)`; if it was reused: `nasa is now the handle of id:2, not of id:1`. */
export function describeRenamedHandle(
  handle: string,
  { restId, screenName }: Holder,
  present: Holder | undefined,
): string {
  const isRenamed = screenName !== null && screenName.toLowerCase() !== handle;
  const renamed = isRenamed ? [`${handle} is now called ${screenName} (id:${restId})`] : [];
  if (!present) return renamed.join('');
  const taken = `${handle} is now the handle of id:${present.restId}`;
  return [...renamed, isRenamed ? taken : `${taken}, not of id:${restId}`].join('; ');
}

const listIds = (holders: readonly Holder[]): string => holders.map(({ restId }) => `id:${restId}`).join(', ');

/** Names the accounts that had a handle before. */
export const describePreviousHolders = (handle: string, past: readonly Holder[]): string =>
  `earlier, ${handle} was the handle of ${listIds(past)}`;

/** Describes a handle that several accounts had, and none has now. */
export const describeAmbiguousHandle = (handle: string, past: readonly Holder[]): string =>
  `no account has the handle ${handle} now, and ${past.length} accounts had it: ${listIds(past)}`;

/** Describes the accounts of a handle; undefined if no other account than its current one was seen with it. */
export function describeHolders(handle: string, { current, previous }: HandleHolders): string | undefined {
  const [last] = previous;
  if (!last) return undefined;
  if (current) return describePreviousHolders(handle, previous);
  return previous.length === 1
    ? describeRenamedHandle(handle, last, undefined)
    : describeAmbiguousHandle(handle, previous);
}
