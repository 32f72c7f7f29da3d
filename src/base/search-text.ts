import { foldText } from './text.ts';

/**
 * Splits texts into the tokens of the full-text indexes. Indexes, searches and highlights use the same function. The indexes
 * store the tokens, folded and separated by spaces; FTS5's tokenizer `unicode61`, with marks as letters, keeps each as it is.
 */

/** A token of a text, with its place in UTF-16 code units. */
export interface LocatedToken extends TextRange {
  readonly token: string;
}

/** A part of a text: from `start` up to, without, `end`; UTF-16 code units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Scripts without spaces between words, and Korean for its particles: each character is a token. */
const UNSPACED_SCRIPTS = 'Han Hira Kana Hang Bopo Yiii Thai Lao Khmr Mymr Lana Tale Talu Tavt Java Bali'
  .split(' ')
  .map((script) => String.raw`\p{scx=${script}}`)
  .join('');
/** Begins the token of a symbol, such as an emoji: the code point follows in hexadecimal digits. */
const SYMBOL_TOKEN = '\uE000';

/** The kind of a character is the number of the group that matches it. Variation selectors are not marks. */
const KINDS = new RegExp(
  [
    String.raw`((?=[\p{L}\p{N}\p{Mn}\p{Mc}])(?![\u02BC\u0300-\u036F])[${UNSPACED_SCRIPTS}])`,
    `(${SYMBOL_TOKEN})`,
    String.raw`([\p{L}\p{N}\p{Co}])`,
    String.raw`((?!\p{VS})[\p{Mn}\p{Mc}])`,
    String.raw`(\p{S})`,
    '([^])',
  ].join('|'),
  'u',
);
const [UNSPACED, CODE, LETTER, MARK, SYMBOL, SEPARATOR] = [1, 2, 3, 4, 5, 6] as const;
/** What may follow in a piece, by the kind of its first character. */
const FOLLOWING: Readonly<Record<number, readonly number[]>> = {
  [UNSPACED]: [UNSPACED],
  [CODE]: [LETTER],
  [LETTER]: [LETTER, MARK],
};
/** The kinds of known characters. */
const kinds = new Uint8Array(0x110000);

const kindOf = (codePoint: number): number =>
  (kinds[codePoint] ||= KINDS.exec(String.fromCodePoint(codePoint))!.findIndex(
    (found, i) => i > 0 && found !== undefined,
  ));

const IS_WORD = /^[\p{L}\p{N}\p{Co}\p{Mn}\p{Mc}]+$/u;
/** ASCII without symbols: FTS5 splits it into the same tokens. */
const IS_PLAIN = /^[\0-#%-*,-;?-\]_a-{}]*$/;

/** Lists the tokens of a text. */
export function listTokens(text: string): LocatedToken[] {
  const tokens: LocatedToken[] = [];
  forEachToken(text, (token, start, end) => tokens.push({ token, start, end }));
  return tokens;
}

/** Returns the tokens of a text, separated by spaces, as the indexes store them. Idempotent. */
export function toSearchText(text: string): string {
  if (IS_PLAIN.test(text)) return text;
  let words = '';
  forEachToken(text, (token) => (words += words === '' ? token : ` ${token}`));
  return words;
}

function forEachToken(text: string, add: (token: string, start: number, end: number) => void): void {
  for (let start = 0, end = 0; start < text.length; start = end) {
    let codePoint = text.codePointAt(start);
    const kind = kindOf(codePoint!);
    const following = FOLLOWING[kind];
    do {
      end += codePoint! > 0xffff ? 2 : 1;
      codePoint = text.codePointAt(end);
    } while (codePoint !== undefined && following?.includes(kindOf(codePoint)));
    if (kind === SEPARATOR || kind === MARK) continue;
    const piece = text.slice(start, end);
    let at = start;
    for (const part of kind === UNSPACED ? listCharacters(piece) : [piece]) {
      for (const token of split(part, kind)) add(token, at, at + part.length);
      at += part.length;
    }
  }
}

/** Korean letters and Japanese voicing marks, which combine with the previous character; several marks. */
const COMBINING =
  // oxlint-disable-next-line no-misleading-character-class -- these are such characters
  /[\u1100-\u11FF\u3099-\u309A\uA960-\uA97C\uD7B0-\uD7FB\uFF9E-\uFFDC]|\p{M}\p{M}/u;

/** Splits a run of a script without spaces into characters. Characters that combine stay together. */
const listCharacters = (run: string): string[] => (COMBINING.test(run) ? splitGraphemes(run) : Array.from(run));

let segmenter: Intl.Segmenter | undefined;
/** Splits a text into characters as readers see them. */
const splitGraphemes = (text: string): string[] =>
  Array.from((segmenter ??= new Intl.Segmenter('en')).segment(text), ({ segment }) => segment);

const knownTokens = new Map<string, readonly string[]>();
/** Texts have few different words. */
const MAX_CACHED = 50_000;

/** Returns the tokens of a word, a character or a symbol; several if it stands for several (`½`, `ﷺ`, `㌔`). */
function split(part: string, kind: number): readonly string[] {
  const known = knownTokens.get(part);
  if (known) return known;
  const tokens = SPLITS[kind]?.(part) ?? [part];
  if (knownTokens.size < MAX_CACHED) knownTokens.set(part, tokens);
  return tokens;
}

const SPLITS: Readonly<Record<number, (part: string) => string[]>> = {
  [UNSPACED]: (part) => Array.from(foldText(part)).filter((token) => IS_WORD.test(token)),
  [LETTER](part) {
    const folded = foldText(part);
    return IS_WORD.test(folded) ? [folded] : listTokens(folded).map(({ token }) => token);
  },
  [SYMBOL](part) {
    const folded = Array.from(foldText(part));
    const foldedKinds = folded.map((each) => kindOf(each.codePointAt(0)!));
    if (foldedKinds.every((kind) => kind === UNSPACED)) return folded;
    const [code] = folded.length === 1 && foldedKinds[0] === SYMBOL ? folded : [part];
    return [`${SYMBOL_TOKEN}${code!.codePointAt(0)!.toString(16)}`];
  },
};
