import { foldText } from '#base/text.ts';

/** A spelling of characters, and its folded form. */
interface Spelling {
  readonly text: string;
  readonly folded: string;
}

/** Unicode blocks with characters that fold to others, except decorative scripts. */
const BLOCKS: readonly (readonly [first: number, last: number])[] = [
  [0x80, 0x33ff],
  [0xa640, 0xabff],
  [0xf900, 0xffef],
  [0x104b0, 0x104d3],
  [0x10570, 0x107bf],
  [0x10c80, 0x10d65],
  [0x118a0, 0x118bf],
  [0x16e40, 0x16eb8],
  [0x1ccd6, 0x1ccf9],
  [0x1d400, 0x1d7ff],
  [0x1e030, 0x1e06d],
  [0x1e900, 0x1e921],
  [0x1ee00, 0x1eeff],
  [0x1f100, 0x1f2ff],
  [0x2f800, 0x2fa1f],
];
/** Letters in upper case that are later than FTS5's Unicode of 2012: the index has them as they are. */
const LATE_CAPITALS =
  /[\u037F\u0528-\u052E\u13A0-\u13F5\u1C89-\u1CBF\u2C2F\uA698-\uA69A\uA796-\uA7F5\u{104B0}-\u{1E921}]/u;
/** Half-width kana, and the voiced marks that combine with them. */
const HALF_WIDTH = [0xff66, 0xff9d] as const;
const VOICED = ['\uFF9E', '\uFF9F'];

let spellings: ReadonlyMap<string, readonly Spelling[]> | undefined;

/** Returns all spellings as the index has them, in lower case, by the first folded character. Takes about 40 ms, once. */
function buildSpellings(): ReadonlyMap<string, readonly Spelling[]> {
  const found = new Map<string, Spelling[]>();
  const add = (text: string): void => {
    const folded = foldText(text);
    if (folded === text || (text.toLowerCase() !== text && !LATE_CAPITALS.test(text))) return;
    const first = String.fromCodePoint(folded.codePointAt(0)!);
    const others = found.get(first);
    if (others) others.push({ text, folded });
    else found.set(first, [{ text, folded }]);
  };
  for (const [first, last] of BLOCKS) for (let code = first; code <= last; code += 1) add(String.fromCodePoint(code));
  for (let code = HALF_WIDTH[0]; code <= HALF_WIDTH[1]; code += 1) {
    for (const sign of VOICED) {
      const text = String.fromCodePoint(code) + sign;
      // A voiced kana folds to one code unit.
      if (foldText(text).length === 1) add(text);
    }
  }
  return found;
}

/** Limits; further spellings are ignored. */
const MAX_SPELLINGS = 64;
const MAX_LOOKUPS = 2000;

/**
 * Returns all entries of a dictionary that fold to a text: up to 64.
 * @param next returns the first entry that is equal to or after a text in the order of code points, undefined at the end.
 * Entries are in NFC and, unless their letters are later than 2012, in lower case.
 */
export function findSpellings(folded: string, next: (from: string) => string | undefined): string[] {
  const candidates = createCandidates(folded);
  const found: string[] = [];
  let from: string | undefined = candidates.from('', 0);
  for (let lookups = 0; from !== undefined && lookups < MAX_LOOKUPS && found.length < MAX_SPELLINGS; lookups += 1) {
    const entry = next(from);
    if (entry === undefined) break;
    if (foldText(entry) === folded) found.push(entry);
    from = candidates.after(entry);
  }
  return found;
}

/** The texts that fold to `folded`, in the order of code points. */
function createCandidates(folded: string) {
  const all = (spellings ??= buildSpellings());
  const spellingsByPlace: (readonly Spelling[])[] = [];
  /** Returns the spellings of the folded text at `place`, in order. */
  const at = (place: number): readonly Spelling[] =>
    (spellingsByPlace[place] ??= (() => {
      const plain = String.fromCodePoint(folded.codePointAt(place)!);
      const others = (all.get(plain) ?? []).filter((spelling) => folded.startsWith(spelling.folded, place));
      return [{ text: plain, folded: plain }, ...others].toSorted((a, b) => byCodePoint(a.text, b.text));
    })());

  /** Returns the first text with the prefix `start`, which covers all before `place`. */
  function from(start: string, place: number): string {
    let text = start;
    for (let i = place; i < folded.length;) {
      const [first] = at(i);
      text += first!.text;
      i += first!.folded.length;
    }
    return text;
  }

  /** Returns the first text after `entry`; undefined if there is none. */
  function after(entry: string): string | undefined {
    // Follow the entry as far as it matches, then go back to the last place with a later spelling.
    const prefixes: (readonly [length: number, place: number])[] = [[0, 0]];
    for (;;) {
      const [length, place] = prefixes.at(-1)!;
      if (place >= folded.length) break;
      const match = at(place).findLast(({ text }) => entry.startsWith(text, length));
      if (!match) break;
      prefixes.push([length + match.text.length, place + match.folded.length]);
    }
    for (const [length, place] of prefixes.toReversed()) {
      if (place >= folded.length) continue;
      const rest = entry.slice(length);
      const next = at(place).find(({ text }) => byCodePoint(text, rest) > 0);
      if (next) return from(entry.slice(0, length) + next.text, place + next.folded.length);
    }
    return undefined;
  }

  return { from, after };
}

/** Compares by UTF-8 bytes, like SQLite; UTF-16 sorts surrogates before U+E000. */
function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const difference = rank(a.charCodeAt(i)) - rank(b.charCodeAt(i));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
