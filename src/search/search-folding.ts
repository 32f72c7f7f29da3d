import { or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { listUnspacedCharacters } from '../store/merge/unspaced-characters.ts';
import type { Db } from '../store/sqlite/database.ts';
import { foldText } from '../text.ts';
import { foldedWords, isLetterSign } from './search-text.ts';
import { findSpellings } from './spellings.ts';

/** A full-text index, and the columns of the texts in it. Its column `characters` has the characters of scripts without spaces. */
export interface IndexedTexts {
  readonly index: 'tweets_fts' | 'users_fts';
  readonly columns: readonly SQLiteColumn[];
}

export type TextFolding = ReturnType<typeof createTextFolding>;

/** Maximum combinations of spellings of a phrase; more are ignored. */
const MAX_PHRASES = 64;

/**
 * Finds stored forms of text that fold to the same as the search: words and text. Adds a function and a temporary table
 * to the connection.
 */
export function createTextFolding({ $client }: Db, { index, columns }: IndexedTexts) {
  $client.function('holds_folded', { deterministic: true }, (text, folded) =>
    Number(holdsFolded(text as string | null, folded as string)),
  );
  const vocabulary = `temp.${index.replace('_fts', '_terms')}`;
  // The `instance` type reads row by row; the others first count all instances of a term.
  $client.exec(`create virtual table if not exists ${vocabulary} using fts5vocab(main, ${index}, instance)`);
  const nextTerm = $client.prepare<[string], string>(`select term from ${vocabulary} where term >= ? limit 1`).pluck();
  const termsOf = (folded: string) => findSpellings(folded, (from) => nextTerm.get(from));

  return {
    index,

    /** Returns the FTS5 expression for all phrases, with every indexed spelling. */
    match(phrases: readonly string[]): string {
      const formsByWord = new Map<string, readonly string[]>();
      const formsOf = (word: string): readonly string[] => {
        const forms = formsByWord.get(word) ?? [...new Set([word, ...termsOf(word)])];
        formsByWord.set(word, forms);
        return forms;
      };
      const forms = phrases.map((phrase) => {
        const words = foldedWords(phrase);
        return words.length > 0 ? combineForms(words.map(formsOf)) : [phrase];
      });
      // FTS5 needs an explicit AND beside parentheses. Without parentheses it ignores a phrase without tokens.
      const single = forms.filter(({ length }) => length === 1).map(([only]) => quotePhrase(only!));
      const alternatives = forms.filter(({ length }) => length > 1).map(joinAlternatives);
      return [...(single.length > 0 ? [single.join(' ')] : []), ...alternatives].join(' AND ');
    },

    /**
     * Returns the FTS5 expression for rows that have the characters of texts in scripts without spaces, each beside the
     * next one; undefined if the texts have none. It finds characters in every spelling of one character, but no
     * character that others combine to (`ｶﾞ` for `ガ`) and none that stands for several (`㌔`).
     */
    matchCharacters(texts: readonly string[]): string | undefined {
      const parts = texts.flatMap(listCharacterPairs).map((pair) => joinAlternatives([pair, ...termsOf(pair)]));
      return parts.length === 0 ? undefined : `characters : (${[...new Set(parts)].join(' AND ')})`;
    },

    /** Returns the condition that a row contains a text, in any form that folds to the same. */
    contains: (text: string): SQL => or(...columns.map((column) => contains(column, text)))!,
  };
}

/** Prepares finding the stored hashtags that fold to a tag. */
export function createTagFolding({ $client }: Db): (folded: string) => string[] {
  const nextTag = $client
    .prepare<[string], string>('select tag from tweet_hashtags where tag >= ? order by tag limit 1')
    .pluck();
  return (folded) => findSpellings(folded, (from) => nextTag.get(from));
}

/** Returns the combinations of one form per word, up to MAX_PHRASES. */
function combineForms(words: readonly (readonly string[])[]): string[] {
  let [phrases = [], ...rest] = words;
  for (const forms of rest)
    phrases = phrases.flatMap((phrase) => forms.map((form) => `${phrase} ${form}`)).slice(0, MAX_PHRASES);
  return [...phrases];
}

/** Returns the pairs of adjacent characters of scripts without spaces; without pairs, the characters. */
function listCharacterPairs(text: string): string[] {
  const folded = foldText(text);
  // The index has letters and digits only.
  const all = (listUnspacedCharacters(folded) ?? '').split(' ').filter((part) => /^[\p{L}\p{N}]+$/u.test(part));
  const pairs = all.filter((part) => Array.from(part).length > 1);
  return pairs.length > 0 ? pairs : all;
}

function contains(column: SQLiteColumn, text: string): SQL {
  const folded = foldText(text);
  // Folded, a sign such as ™ would match inside words.
  if (isLetterSign(text)) return containsLiteral(column, text);
  const containsFolded = sql`length(cast(${column} as blob)) > length(${column}) and holds_folded(${column}, ${folded})`;
  // ASCII text needs no folding.
  return IS_ASCII.test(folded)
    ? sql`(${containsLiteral(column, folded)} or (${containsFolded}))`
    : sql`(${containsFolded})`;
}

const IS_ASCII = /^[\x20-\x7E]*$/;
const containsLiteral = (column: SQLiteColumn, text: string): SQL =>
  sql`${column} like ${`%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`} escape '\\'`;

/** Quotes a phrase as an FTS5 string. */
const quotePhrase = (phrase: string): string => `"${phrase.replaceAll('"', '""')}"`;

const joinAlternatives = (phrases: readonly string[]): string =>
  `(${[...new Set(phrases)].map(quotePhrase).join(' OR ')})`;

/** Returns whether a text folds to one that contains `folded`. */
function holdsFolded(text: string | null, folded: string): boolean {
  if (text === null) return false;
  // Most scripts have neither case nor accents; then the cheaper half of the folding is enough.
  const isCased = /\p{Cased}/u.test(folded) || /[\u0300-\u036F]/u.test(text);
  return (isCased ? foldText(text) : text.normalize('NFKC')).includes(folded);
}
