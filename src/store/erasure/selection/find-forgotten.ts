import { ACCOUNT_KINDS, formatKinds } from '#service/kinds/crawl-spec.ts';
import { parseAccount } from '#service/kinds/target.ts';
import type { PendingErasure } from '#store/erasure/pending-erasure.ts';
import { type MentionsPolicy, prepareTombstones } from '#store/erasure/tombstones.ts';
import type { Db } from '#store/sqlite/database.ts';

const KINDS = formatKinds(ACCOUNT_KINDS);

/** Where a store has ids of accounts, and handles. Mentions matter only where they are redacted. */
const IDS = `
  select rest_id from users union select rest_id from panel_members union select rest_id from _job_accounts
  union select target_rest_id from crawls where kind in (${KINDS}) and target_rest_id is not null
  union select target from coverage where kind in (${KINDS})
  union select in_reply_to_user_rest_id from tweets where in_reply_to_user_rest_id is not null`;
const HANDLES = `
  select handle from _job_accounts
  union select in_reply_to_screen_name from tweets where in_reply_to_screen_name is not null`;
const MENTIONS = 'select distinct screen_name from tweet_mentions';
const TARGETS = `select target from crawls where kind in (${KINDS}) union select target from _run_targets`;

/**
 * Finds what a store has of forgotten accounts, by the hashes of its tombstones only: in an older copy of a store, to which
 * the tombstones of later erasures were added. Returns the accounts by the mentions policy of their erasure.
 */
export function findForgotten(db: Db): PendingErasure[] {
  const { $client } = db;
  const tombstones = prepareTombstones(db)();
  if (!tombstones) return [];
  const found = new Map<MentionsPolicy, { restIds: Set<string>; handles: Set<string> }>();
  const foundWith = (mentions: MentionsPolicy) => {
    const accounts = found.get(mentions) ?? { restIds: new Set(), handles: new Set() };
    found.set(mentions, accounts);
    return accounts;
  };
  const checkId = (id: string): void => {
    const mentions = tombstones.findAccount(id);
    if (mentions) foundWith(mentions).restIds.add(id);
  };
  const checkHandle = (handle: string, only?: MentionsPolicy): void => {
    const mentions = tombstones.findHandle(handle);
    if (mentions && mentions === (only ?? mentions)) foundWith(mentions).handles.add(handle);
  };
  const list = (query: string): IterableIterator<string> => $client.prepare<[], string>(query).pluck().iterate();
  for (const id of list(IDS)) checkId(id);
  for (const handle of list(HANDLES)) checkHandle(handle);
  for (const handle of list(MENTIONS)) checkHandle(handle, 'redact');
  for (const target of list(TARGETS)) {
    const account = parseAccount(target);
    if ('id' in account) checkId(account.id);
    else checkHandle(account.handle);
  }
  return Array.from(found, ([mentions, { restIds, handles }]) => ({
    mentions,
    accounts: {
      restIds: [...restIds],
      handles: [...handles],
    },
  }));
}
