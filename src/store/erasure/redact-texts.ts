import { ERASED_MARK } from './erased-mark.ts';

/** Ids of digits may be a part of an address. Shorter ones are compared with whole values only. */
export const ID_DIGITS = /\d{6,64}/g;

/** Fields with handles. */
export const HANDLE_KEY = /screen_?name|user_?name|handle/i;

/** Words of texts, with a sign before them. */
const WORD = /(?<sign>[@＠])?(?<![\p{L}\p{N}_])(?<word>[\p{L}\p{N}_]{1,100})/gu;
/** A shorter handle of letters is a word of a language: in a text, only `@moon` names the account. */
const DISTINCTIVE_LENGTH = 5;
const BEFORE_HANDLE = /(?:\/|\b(?:from|to):)$/i;
/** A repeated tweet is a text of its author. */
const REPEATED = /^RT [@＠]([^\s:]+):/u;

/** Replaces the handles in a text for which `isMatch` holds. */
export function replaceHandles(text: string, isMatch: (handle: string) => boolean): string {
  const repeated = REPEATED.exec(text)?.[1];
  if (repeated !== undefined && isMatch(repeated)) return `RT ${ERASED_MARK}: ${ERASED_MARK}`;
  return text.replaceAll(WORD, (match, sign: string | undefined, word: string, at: number) => {
    const isName =
      sign !== undefined ||
      word.length >= DISTINCTIVE_LENGTH ||
      /[^\p{L}]/u.test(word) ||
      BEFORE_HANDLE.test(text.slice(Math.max(0, at - 6), at));
    return isName && isMatch(word) ? ERASED_MARK : match;
  });
}

/** Replaces the ids in a text for which `isMatch` holds. */
export const replaceIds = (text: string, isMatch: (id: string) => boolean): string =>
  text.replaceAll(ID_DIGITS, (id) => (isMatch(id) ? ERASED_MARK : id));
