import type Database from 'better-sqlite3';
import { foldHandle } from '#base/text.ts';
import { ACCOUNT_KINDS, formatKinds } from '#service/kinds/crawl-spec.ts';
import { parseAccount } from '#service/kinds/target.ts';

/** What identifies the accounts of an erasure in the store. */
export interface Identity {
  /** The service's ids. */
  readonly restIds: ReadonlySet<string>;
  /** All handles that they are known by, earlier ones included; folded. */
  readonly handles: ReadonlySet<string>;
  /** Their display names, earlier ones included. */
  readonly names: ReadonlySet<string>;
  /** Handles that another stored account has now: they no longer identify these accounts. */
  readonly reassignedHandles: readonly string[];
}

/** Accounts by what the user knows of them. */
export interface AccountNames {
  readonly restIds: readonly string[];
  readonly handles: readonly string[];
}

/** Where the store has handles, targets and names of accounts, beside their ids. */
const HISTORY = 'user_history h join users u on u.id = h.user_id';
const CRAWLS = `(select * from crawls where kind in (${formatKinds(ACCOUNT_KINDS)}))`;
type Place = readonly [column: string, from: string, id: string];
const HANDLES: readonly Place[] = [
  ['screen_name', 'users', 'rest_id'],
  ['h.screen_name', HISTORY, 'u.rest_id'],
  ['handle', 'panel_members', 'rest_id'],
  ['handle', '_job_accounts', 'rest_id'],
  ['handle', CRAWLS, 'target_rest_id'],
  ['in_reply_to_screen_name', 'tweets', 'in_reply_to_user_rest_id'],
  ['in_reply_to_screen_name', 'tweet_history', 'in_reply_to_user_rest_id'],
];
const TARGETS: Place = ['target', CRAWLS, 'target_rest_id'];
const NAMES: readonly Place[] = [
  ['name', 'users', 'rest_id'],
  ['h.name', HISTORY, 'u.rest_id'],
];

/** Reads what identifies accounts: the given ids and handles, and all that the store knows of these ids. */
export function collectIdentity(client: Database.Database, accounts: AccountNames): Identity {
  const ids = JSON.stringify(accounts.restIds);
  const read = ([column, from, id]: Place): string[] =>
    client
      .prepare<[string], string | null>(`select ${column} from ${from} where ${id} in (select value from json_each(?))`)
      .pluck()
      .all(ids)
      .filter((value): value is string => value !== null && value !== '');
  const ofTargets = read(TARGETS).flatMap((target) => {
    const account = parseAccount(target);
    return 'handle' in account ? [account.handle] : [];
  });
  const handles = new Set([...accounts.handles, ...HANDLES.flatMap(read), ...ofTargets].map(foldHandle));
  const restIds = new Set(accounts.restIds);
  const reassignedHandles = [...handles].filter((handle) => isHeldByOthers(client, handle, restIds));
  for (const handle of reassignedHandles) handles.delete(handle);
  return { restIds, handles, names: new Set(NAMES.flatMap(read)), reassignedHandles };
}

function isHeldByOthers(client: Database.Database, handle: string, restIds: ReadonlySet<string>): boolean {
  const rows = client
    .prepare<[string], { readonly restId: string; readonly screenName: string }>(
      'select rest_id as restId, screen_name as screenName from users where screen_name = ? collate nocase',
    )
    .all(handle);
  return rows.some(({ restId, screenName }) => !restIds.has(restId) && foldHandle(screenName) === handle);
}
