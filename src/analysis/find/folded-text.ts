import { foldText } from '#base/text.ts';

/** A folded text (`foldText`), with the places of its characters in the original. Positions are UTF-16 code units. */
export interface FoldedText {
  readonly folded: string;
  /** Returns the range of the original that a range of the folded text comes from: whole characters with their marks. */
  locate(start: number, end: number): TextRange;
}

/** A part of a text: from `start` up to, without, `end`; UTF-16 code units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

const IS_ASCII = /^[\0-\x7F]*$/;

export function foldWithOffsets(text: string): FoldedText {
  if (IS_ASCII.test(text)) return { folded: text.toLowerCase(), locate: (start, end) => ({ start, end }) };
  let folded = '';
  /** By position in the folded text. */
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  for (const unit of splitUnits(text)) {
    const form = foldCharacter(unit).folded;
    folded += form;
    for (let i = 0; i < form.length; i++) {
      starts.push(at);
      ends.push(at + unit.length);
    }
    at += unit.length;
  }
  return { folded, locate: (start, end) => ({ start: starts[start]!, end: ends[end - 1]! }) };
}

/** Splits a text into parts that fold independently of each other: a character with the marks that it may combine with. */
function* splitUnits(text: string): Generator<string> {
  let unit = '';
  for (const character of text) {
    if (unit !== '' && !foldCharacter(character).isJoining) {
      yield unit;
      unit = '';
    }
    unit += character;
  }
  if (unit !== '') yield unit;
}

interface FoldedCharacter {
  readonly folded: string;
  /** Whether it may combine with the character before it. */
  readonly isJoining: boolean;
}

const foldedCharacters = new Map<string, FoldedCharacter>();
/** A text has few different characters. */
const MAX_CACHED = 20_000;

function foldCharacter(character: string): FoldedCharacter {
  const known = foldedCharacters.get(character);
  if (known) return known;
  // Vowels and final consonants of Hangul, which join to a syllable, are no marks.
  const isJoining = /^[\p{M}\u1160-\u11FF]/u.test(character.normalize('NFKD'));
  const found = { folded: foldText(character), isJoining };
  if (foldedCharacters.size < MAX_CACHED) foldedCharacters.set(character, found);
  return found;
}
