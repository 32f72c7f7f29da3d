import { HANDLE_KEY, ID_DIGITS, replaceHandles, replaceIds } from '../names-in-texts.ts';
import type { Tombstones } from '../tombstones.ts';

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
  const isAccount = cache((id) => ID.test(id) && tombstones.isForgottenAccount(id));
  const findHandle = cache((handle) => tombstones.findHandle(handle.replace(/^[@＠]/, '')));
  const isHandle = (handle: string): boolean => findHandle(handle) !== undefined;
  const isRedacted = (handle: string): boolean => findHandle(handle) === 'redact';

  const hasRedaction = tombstones.hasRedaction();

  const isNamedById = (text: string): boolean => isAccount(text) || text.match(ID_DIGITS)?.some(isAccount) === true;

  /** Replaces the ids and handles of accounts whose mentions are redacted. */
  function redact(text: string): string {
    if (!hasRedaction) return text;
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

/** Caches the results of a function. */
function cache<Result>(compute: (text: string) => Result): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    if (!results.has(text)) results.set(text, compute(text));
    return results.get(text)!;
  };
}
