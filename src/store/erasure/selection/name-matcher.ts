import { foldHandle } from '#base/text.ts';
import { isKind, kindTable, type TargetType } from '#service/kinds/kinds.ts';
import { parseAccount } from '#service/kinds/target.ts';
import { ERASED_MARK } from '#store/erasure/erased-mark.ts';
import { HANDLE_KEY, ID_DIGITS, replaceHandles, replaceIds } from '#store/erasure/redact-texts.ts';
import type { Identity } from './erased-identity.ts';

/** A letter, digit or underscore of any script. */
const WORD = String.raw`[\p{L}\p{N}_]`;
/** Shorter ids are compared with whole values only: in a text, they are numbers of other things. */
const MIN_ID_LENGTH = 6;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]{3}/u;
const ID_KEY = /id/i;

/** Whether a display name identifies its account in a text: a single word does not. */
const isDistinctiveName = (name: string): boolean => /\S\s+\S/u.test(name.trim()) || UNSPACED.test(name);

/** Whether a handle is no word of a text, by which `replaceHandles` would find it. */
const isUnusual = (handle: string): boolean => UNSPACED.test(handle) || !/^[\p{L}\p{N}_]+$/u.test(handle);

/** Returns a pattern of a name with any spaces. */
const formatPattern = (name: string): string =>
  name
    .trim()
    .split(/\s+/u)
    .map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
    .join(String.raw`\s+`);

const formatWordPattern = (name: string): string =>
  UNSPACED.test(name) ? formatPattern(name) : `(?<!${WORD})${formatPattern(name)}(?!${WORD})`;

const NEVER = '(?!)';
const compile = (patterns: readonly string[], flags: string): RegExp => new RegExp(patterns.join('|') || NEVER, flags);

/** Finds accounts in texts. */
function createTextMatcher({ handles, names }: Pick<Identity, 'handles' | 'names'>, ids: ReadonlySet<string>) {
  const phrases = [...[...names].filter(isDistinctiveName), ...[...handles].filter(isUnusual)].map(formatWordPattern);
  const naming = compile(phrases, 'giu');
  /** A filter for texts. */
  const anywhere = compile([...handles, ...names].map(formatPattern), 'iu');
  const isId = (value: string): boolean => ids.has(value);
  const isHandle = (value: string): boolean => handles.has(foldHandle(value.replace(/^[@＠]/, '')));
  const hasShortId = [...ids].some((id) => id.length < MIN_ID_LENGTH);
  const containsId = (text: string): boolean => text.match(ID_DIGITS)?.some(isId) === true;
  const redact = (text: string): string =>
    replaceIds(replaceHandles(text.replaceAll(naming, ERASED_MARK), isHandle), isId);
  return {
    isId,
    isHandle,
    containsId,
    redact,
    /** Whether a text names an account or one of its tweets. */
    isNamedIn: (text: string): boolean => containsId(text) || (anywhere.test(text) && redact(text) !== text),
    /** Whether JSON may show an account. An escaped character may be a part of its name. */
    mayShow: (json: string): boolean => hasShortId || json.includes('\\u') || anywhere.test(json) || containsId(json),
  };
}

/** Finds accounts in targets. */
function createTargetMatcher(
  { restIds, handles }: Identity,
  tweetIds: ReadonlySet<string>,
  isNamedIn: (text: string) => boolean,
) {
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
  return {
    isAccount: TARGETS.account,

    /** Whether a target of a crawl is an account, one of its tweets, or a search that names it. */
    isTarget: (kind: string, target: string): boolean => isKind(kind) && TARGETS[kindTable[kind].targetType](target),

    /** Whether a list of coverage is one of an account, or of a search that names it. Accounts have their ids there. */
    isList: (kind: string, target: string): boolean =>
      isKind(kind) &&
      (TARGETS[kindTable[kind].targetType](target) ||
        (kindTable[kind].targetType === 'account' && restIds.has(target))),

    /** Whether a target of a snowball is an account or one of its tweets. */
    isAccountTarget: (target: string): boolean => TARGETS.account(target) || TARGETS.tweet(target),
  };
}

/** Finds accounts in texts, in JSON and in targets, and replaces what names them. */
export type IdentityMatcher = ReturnType<typeof createIdentityMatcher>;

/** @param tweetIds the service's ids of the accounts' tweets */
export function createIdentityMatcher(identity: Identity, tweetIds: ReadonlySet<string>) {
  const texts = createTextMatcher(identity, new Set([...identity.restIds, ...tweetIds]));
  const { isId, isHandle, isNamedIn, containsId, redact, mayShow } = texts;
  const targets = createTargetMatcher(identity, tweetIds, isNamedIn);

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
      const isTarget = (each: string): boolean => isOfAccounts && key === 'list' && targets.isAccount(each);
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
      return inTexts && isNamedIn(value);
    }
    if (typeof value === 'number') return ID_KEY.test(key) && isId(String(value));
    if (typeof value !== 'object' || value === null) return false;
    return Object.entries(value).some(([name, each]) => isShownIn(each, inTexts, Array.isArray(value) ? key : name));
  }

  return {
    isId,
    isHandle,
    isNamedIn,
    redact,
    mayShow,
    ...targets,

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
        return isNamedIn(body);
      }
    },
  };
}
