import { existsSync } from 'node:fs';
import { UsageError } from '#base/errors.ts';
import { listSpellings, pluralize } from '#base/text.ts';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import { isKind, kindTable, type TargetType } from '#service/kinds/kinds.ts';
import { parseAccount } from '#service/kinds/target.ts';
import { HANDLE_KEY, ID_DIGITS, replaceHandles, replaceIds } from '#store/erasure/redact-texts.ts';
import { prepareTombstones, type Tombstones } from '#store/erasure/tombstones.ts';
import { describeStorageError } from '#store/sqlite/database-errors.ts';
import { type Db, openReadOnly } from '#store/sqlite/database.ts';

/** What a crawl is about. */
type CrawlTarget = Pick<CrawlSpec, 'kind' | 'target'>;

/** Whether a crawl would be about a forgotten account, or a search that names one. */
export type IsForgotten = (crawl: CrawlTarget) => boolean;

/**
 * Prepares the check of targets of crawls. A handle is forgotten until the store knows another account that has it: until
 * then, that account can be named by its id.
 */
export function prepareForgottenTargets(db: Db): IsForgotten {
  const readTombstones = prepareTombstones(db);
  const findHolders = db.$client
    .prepare<[string], string>('select rest_id from users where screen_name = ? collate nocase')
    .pluck();
  return (crawl) => {
    const tombstones = readTombstones();
    if (!tombstones) return false;
    const names = createForgottenNames(tombstones);
    return isForgottenTarget(crawl, names, (handle) =>
      listSpellings(handle).some((one) => findHolders.all(one).some((id) => !names.isAccount(id))),
    );
  };
}

/** The same for a store's file. Nobody is forgotten in a missing store, or in one of an earlier version. @throws TrawlError if it is no database */
export function openForgottenTargets(path: string): Disposable & { readonly isForgotten: IsForgotten } {
  if (!existsSync(path)) return { isForgotten: () => false, [Symbol.dispose]: () => undefined };
  const db = openReadOnly(path);
  try {
    return {
      isForgotten: hasTombstones(db) ? prepareForgottenTargets(db) : () => false,
      [Symbol.dispose]: () => void db.$client.close(),
    };
  } catch (error) {
    db.$client.close();
    throw describeStorageError(error, path) ?? error;
  }
}

const hasTombstones = (db: Db): boolean =>
  db.$client.prepare("select 1 from sqlite_schema where name = '_tombstones'").get() !== undefined;

/** @throws UsageError if targets are forgotten accounts, or searches that name one: with their number, and no name */
export function requireRemembered(crawls: readonly CrawlTarget[], isForgotten: IsForgotten): void {
  const count = crawls.filter(isForgotten).length;
  if (count > 0) throw new UsageError(describeForgottenTargets(count), { hint: FORGOTTEN_HINT });
}

/** What becomes of forgotten targets, without their names. */
export const describeForgottenTargets = (count: number): string =>
  `${pluralize(count, 'target is a forgotten account and is', 'targets are forgotten accounts and are')} not crawled`;

/** How to crawl another account that has a handle of a forgotten one. */
export const FORGOTTEN_HINT = 'If another account has the handle now, name it by its id, such as id:1234567890.';

/** Whether a target is a forgotten account, or a search that names one. @param isHeld whether a stored account has a handle */
export function isForgottenTarget(
  { kind, target }: CrawlTarget,
  names: ForgottenNames,
  isHeld: (handle: string) => boolean,
): boolean {
  const isForgottenHandle = (handle: string): boolean => names.isHandle(handle) && !isHeld(handle);
  const isForgotten: Readonly<Partial<Record<TargetType, () => boolean>>> = {
    account() {
      const account = parseAccount(target);
      return 'id' in account ? names.isAccount(account.id) : isForgottenHandle(account.handle);
    },
    query: () => names.isNamedIn(target, isForgottenHandle),
  };
  return isKind(kind) && isForgotten[kindTable[kind].targetType]?.() === true;
}

/** Finds forgotten accounts in texts and bodies by the hashes of their ids and handles, since nothing else is known of them. */
export type ForgottenNames = ReturnType<typeof createForgottenNames>;

const ID = /^[A-Za-z0-9_-]{1,64}$/;

/** The fields of an account's own handle, beside its id. */
const OWN_HANDLE = /^(?:screen_?name|user_?name)$/i;
/** The id that belongs to the field of a handle: `in_reply_to_user_id` to `in_reply_to_screen_name`. */
const REPLY_HANDLE = 'in_reply_to_screen_name';
const REPLY_IDS = ['in_reply_to_user_id', 'in_reply_to_user_id_str'];
const OWN_IDS = ['rest_id', 'id', 'id_str', 'user_id'];

type JsonObject = Readonly<Record<string, unknown>>;

/** Look-ups are cached: create one per transaction, whose state does not change. */
export function createForgottenNames(tombstones: Tombstones) {
  const isAccount = cache((id) => ID.test(id) && tombstones.findAccount(id) !== undefined);
  const findHandle = cache((handle) => tombstones.findHandle(handle.replace(/^[@＠]/, '')));
  const isHandle = (handle: string): boolean => findHandle(handle) !== undefined;
  const isRedacted = (handle: string): boolean => findHandle(handle) === 'redact';

  const isNamedById = (text: string): boolean => isAccount(text) || text.match(ID_DIGITS)?.some(isAccount) === true;

  /** Replaces the ids and handles of accounts whose mentions are redacted. */
  function redact(text: string): string {
    if (!tombstones.hasRedaction) return text;
    return replaceIds(replaceHandles(text, isRedacted), isAccount);
  }

  /** Whether an object shows, beside a handle, the id of an account that is not forgotten: it has the handle now. */
  const hasOtherHolder = (object: JsonObject, key: string): boolean => {
    const ids = OWN_HANDLE.test(key) ? OWN_IDS : key === REPLY_HANDLE ? REPLY_IDS : [];
    return ids.some((name) => object[name] != null && !isAccount(String(object[name] as string | number)));
  };

  /** Whether an object is an account that has a handle of a forgotten one now. */
  const isHeir = (object: JsonObject): boolean =>
    Object.entries(object).some(
      ([key, value]) =>
        OWN_HANDLE.test(key) && typeof value === 'string' && isHandle(value) && hasOtherHolder(object, key),
    );

  function isShownInObject(object: JsonObject): boolean {
    const isText = isHeir(object) ? () => false : (text: string) => redact(text) !== text;
    return Object.entries(object).some(([key, value]) => {
      if (typeof value !== 'string') return isShownIn(value);
      if (isNamedById(value)) return true;
      if (HANDLE_KEY.test(key) && isHandle(value)) return !hasOtherHolder(object, key);
      return isText(value);
    });
  }

  function isShownIn(value: unknown): boolean {
    if (typeof value === 'string') return isNamedById(value) || redact(value) !== value;
    if (typeof value === 'number') return isAccount(String(value));
    if (Array.isArray(value)) return value.some(isShownIn);
    return typeof value === 'object' && value !== null && isShownInObject(value as JsonObject);
  }

  return {
    isAccount,
    isHandle,
    redact,
    /** Whether an entry of a list, such as a handle, a hashtag or a link, names an account whose mentions are redacted. */
    isMention: (text: string): boolean => isRedacted(text) || redact(text) !== text,
    /** Whether a text that is no text of a user, such as a message or a part of JSON, names an account. */
    isNamedIn: (text: string, isMatch = isHandle): boolean =>
      isNamedById(text) || replaceHandles(text, isMatch) !== text,
    /**
     * Whether JSON shows an account: its id anywhere, its handle in a field for handles and, if its mentions are redacted, in a
     * text.
     */
    isShownIn,
  };
}

/** Results that a cache keeps: a lake names more accounts than fit into memory. */
const MAX_CACHED = 100_000;

/** Caches the results of a function, until there are too many. */
function cache<Result>(compute: (text: string) => Result): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    if (results.size >= MAX_CACHED) results.clear();
    if (!results.has(text)) results.set(text, compute(text));
    return results.get(text)!;
  };
}
