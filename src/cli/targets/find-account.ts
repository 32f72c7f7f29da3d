import { parseAccount } from '#service/kinds/target.ts';
import type { StoredUser } from '#store/schema/query-results.ts';
import type { StoreReads } from '#store/store-reads.ts';

/** Returns the stored account of a target; undefined if the store has none. */
export function findAccount(
  read: Pick<StoreReads, 'userById' | 'userByHandle'>,
  target: string,
): StoredUser | undefined {
  const account = parseAccount(target);
  return 'id' in account ? read.userById(account.id) : read.userByHandle(account.handle);
}
