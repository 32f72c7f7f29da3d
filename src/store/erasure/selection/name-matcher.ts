import { foldHandle } from '../../../base/text.ts';
import { isKind, kindTable, type TargetType } from '../../../service/kinds/kinds.ts';
import { parseAccount } from '../../../service/kinds/target.ts';
import { ERASED_MARK } from '../erased-mark.ts';
import type { Identity } from './erased-identity.ts';

/** A letter, digit or underscore of any script. */
const WORD = String.raw`[\p{L}\p{N}_]`;
/** Shorter ids are compared with whole values only: in a text, they are numbers of other things. */
const MIN_ID_LENGTH = 6;
/** Ids of digits may be a part of a file name: `12345678_small.jpg`. */
const DIGITS = /\d{6,64}/g;
const ID_CHARACTERS = /[A-Za-z0-9_-]{6,64}/g;
/** Shorter handles of letters are words of a language: in a text, only `@moon` names the account. */
const MIN_WORD_LENGTH = 5;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]{3}/u;
const HANDLE_KEY = /screen_?name|user_?name|handle/i;
const ID_KEY = /id/i;

const NEVER = '(?!)';
const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);

/** Whether a handle identifies its account without a sign before it. */
const isDistinctive = (handle: string): boolean =>
  Array.from(handle).length >= MIN_WORD_LENGTH || /[^\p{L}]/u.test(handle) || UNSPACED.test(handle);

/** Whether a display name identifies its account in a text: a single word does not. */
const isDistinctiveName = (name: string): boolean => /\S\s+\S/u.test(name.trim()) || UNSPACED.test(name);

const formatHandlePattern = (handle: string): string => {
  const escaped = escapePattern(handle);
  return isDistinctive(handle)
    ? `[@＠]?(?<!${WORD})${escaped}(?!${WORD})`
    : `(?:[@＠]|(?<=/|\\bfrom:|\\bto:))${escaped}(?!${WORD})`;
};

const formatNamePattern = (name: string): string => {
  const escaped = name
    .trim()
    .split(/\s+/u)
    .map(escapePattern)
    .join(String.raw`\s+`);
  return UNSPACED.test(name) ? escaped : `(?<!${WORD})${escaped}(?!${WORD})`;
};

/** Finds accounts in texts, in JSON and in targets, and replaces what names them. */
export type IdentityMatcher = ReturnType<typeof createIdentityMatcher>;

/** @param tweetIds the service's ids of the accounts' tweets */
export function createIdentityMatcher({ restIds, handles, names }: Identity, tweetIds: ReadonlySet<string>) {
  const handlePatterns = [...handles].map(formatHandlePattern);
  const patterns = [...handlePatterns, ...[...names].filter(isDistinctiveName).map(formatNamePattern)];
  const compile = (parts: readonly string[], flags: string): RegExp => new RegExp(parts.join('|') || NEVER, flags);
  const naming = compile(patterns, 'iu');
  const namings = compile(patterns, 'giu');
  const quoted = new RegExp(`^RT (?:${handlePatterns.join('|') || NEVER}):[^]*`, 'iu');
  /** A filter for bodies. */
  const anywhere = compile([...handles, ...names].map(escapePattern), 'iu');

  const isId = (value: string): boolean => restIds.has(value) || tweetIds.has(value);
  const isHandle = (value: string): boolean => handles.has(foldHandle(value.replace(/^[@＠]/, '')));
  const hasShortId = [...restIds, ...tweetIds].some((id) => id.length < MIN_ID_LENGTH);
  const tokens = [...restIds, ...tweetIds].every((id) => /^\d+$/.test(id)) ? [DIGITS] : [DIGITS, ID_CHARACTERS];
  const containsId = (text: string): boolean => tokens.some((token) => text.match(token)?.some(isId));

  /** Whether a text names an account or one of its tweets. */
  const isNamedIn = (text: string): boolean => naming.test(text) || containsId(text);

  const redact = (text: string): string => {
    const named = text.replace(quoted, `RT ${ERASED_MARK}: ${ERASED_MARK}`).replaceAll(namings, ERASED_MARK);
    return tokens.reduce((rest, token) => rest.replaceAll(token, (id) => (isId(id) ? ERASED_MARK : id)), named);
  };

  const TARGETS: Readonly<Record<TargetType, (target: string) => boolean>> = {
    account(target) {
      const account = parseAccount(target);
      return 'id' in account ? restIds.has(account.id) : handles.has(account.handle);
    },
    tweet: (target) => tweetIds.has(target),
    query: isNamedIn,
    community: () => false,
    list: () => false,
  };

  /**
   * Replaces what names an account in a value of JSON; elements of arrays that are nothing else are left out. A handle that is
   * a word counts where only targets stand: in the list of a job of accounts, in `target` and in fields of handles.
   */
  function scrub(value: unknown, key = '', isOfAccounts = false): unknown {
    if (typeof value === 'string') {
      const isAccount = isId(value) || ((key === 'target' || HANDLE_KEY.test(key)) && isHandle(value));
      return isAccount ? '' : redact(value);
    }
    if (Array.isArray(value)) {
      const isTarget = (each: string): boolean => isOfAccounts && key === 'list' && TARGETS.account(each);
      return value
        .filter((each) => typeof each !== 'string' || !(isId(each) || isNamedIn(each) || isTarget(each)))
        .map((each) => scrub(each));
    }
    if (typeof value !== 'object' || value === null) return value;
    const { kind } = value as { readonly kind?: unknown };
    const isAccounts =
      isOfAccounts || (typeof kind === 'string' && isKind(kind) && kindTable[kind].targetType === 'account');
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [redact(name), scrub(each, name, isAccounts)]),
    );
  }

  /** Whether a value of JSON shows an account or its tweets; with `inTexts`, also whether a text names it. */
  function isShownIn(value: unknown, inTexts: boolean, key = ''): boolean {
    if (typeof value === 'string') {
      if (isId(value) || containsId(value) || (HANDLE_KEY.test(key) && isHandle(value))) return true;
      return inTexts && naming.test(value);
    }
    if (typeof value === 'number') return ID_KEY.test(key) && isId(String(value));
    if (typeof value !== 'object' || value === null) return false;
    return Object.entries(value).some(([name, each]) => isShownIn(each, inTexts, Array.isArray(value) ? key : name));
  }

  /** Whether JSON may show an account. An escaped character may be a part of its name. */
  const mayShow = (json: string): boolean =>
    hasShortId || json.includes('\\u') || anywhere.test(json) || naming.test(json) || containsId(json);

  return {
    isId,
    isHandle,
    isNamedIn,
    redact,
    mayShow,

    /** Whether a target of a crawl is an account, one of its tweets, or a search that names it. */
    isTarget: (kind: string, target: string): boolean => isKind(kind) && TARGETS[kindTable[kind].targetType](target),

    /** Whether a list of coverage is one of an account, or of a search that names it. Accounts have their ids there. */
    isList: (kind: string, target: string): boolean =>
      isKind(kind) &&
      (TARGETS[kindTable[kind].targetType](target) ||
        (kindTable[kind].targetType === 'account' && restIds.has(target))),

    /** Whether a target of a snowball is an account or one of its tweets. */
    isAccountTarget: (target: string): boolean => TARGETS.account(target) || TARGETS.tweet(target),

    /** Returns JSON without what names the accounts; text that is no JSON is redacted. */
    scrubJson(json: string): string {
      if (!mayShow(json)) return json;
      try {
        return JSON.stringify(scrub(JSON.parse(json)));
      } catch {
        return redact(json);
      }
    },

    /**
     * Whether a body shows an account: as an object, an id or a handle in a field of handles. With `inTexts`, also whether
     * a text in it names the account.
     */
    isShownInBody(body: string, inTexts: boolean): boolean {
      if (!mayShow(body)) return false;
      try {
        return isShownIn(JSON.parse(body), inTexts);
      } catch {
        return containsId(body) || naming.test(body);
      }
    },
  };
}
