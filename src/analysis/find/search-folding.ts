import { and, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { foldText } from '#base/text.ts';
import { listUnspacedCharacters } from '#store/merge/full-text-index.ts';
import type { Db } from '#store/sqlite/database.ts';
import {
  listPhraseForms,
  type PhraseForms,
  type TokensOf,
  createPhraseFinder,
  mayHaveMarks,
  type PhraseFinder,
} from './index-tokens.ts';
import { isLetterSign } from './search-query.ts';
import { findSpellings } from './spellings.ts';

/** A full-text index, and the columns of the texts in it. Its column `characters` has the characters of scripts without spaces. */
export interface IndexedTexts {
  readonly index: 'tweets_fts' | 'users_fts';
  readonly columns: readonly SQLiteColumn[];
}

export type TextFolding = ReturnType<typeof createTextFolding>;

/** Maximum tokens that are looked up for a search, without further spellings: each is a scan of the index. */
const MAX_TOKENS = 64;
/** Phrases whose preparation is kept: those of one search. */
const MAX_FINDERS = 64;

/** The rows that have phrases, whose words are next to each other. */
export interface PhraseMatch {
  /** The FTS5 expression for candidates. */
  readonly tokens: string;
  /** The conditions on the texts of a candidate. */
  readonly conditions: readonly SQL[];
  /** Whether they may exclude most candidates. */
  readonly isBroad: boolean;
}

/**
 * Finds stored forms of text that fold to the same as the search: words and text. Adds functions and a temporary table to
 * the connection.
 */
export function createTextFolding({ $client }: Db, { index, columns }: IndexedTexts) {
  $client.function('holds_folded', { deterministic: true }, (text, folded) =>
    Number(holdsFolded(text as string | null, folded as string)),
  );
  const finderOf = createFinderCache();
  $client.function('has_phrase', { deterministic: true, varargs: true }, (phrase, isWhole, ...texts) =>
    Number(hasPhrase(finderOf(phrase as string), isWhole === 1, texts as (string | null)[])),
  );
  const vocabulary = `temp.${index.replace('_fts', '_terms')}`;
  // The `instance` type reads row by row; the others first count all instances of a term.
  $client.exec(`create virtual table if not exists ${vocabulary} using fts5vocab(main, ${index}, instance)`);
  const nextTerm = $client.prepare<[string], string>(`select term from ${vocabulary} where term >= ? limit 1`).pluck();
  const termsOf = (folded: string) => findSpellings(folded, (from) => nextTerm.get(from));

  return {
    index,

    /** Returns the match of all phrases, in every indexed spelling. */
    match(phrases: readonly string[]): PhraseMatch {
      const known = new Map<string, readonly string[]>();
      const tokensOf: TokensOf = (folded) => {
        const tokens = known.get(folded) ?? termsOf(folded);
        known.set(folded, tokens);
        return tokens;
      };
      const maxTokens = Math.floor(MAX_TOKENS / Math.min(MAX_TOKENS, phrases.length));
      const matches = phrases.map((phrase) =>
        matchPhrase(phrase, columns, listPhraseForms(phrase, maxTokens, tokensOf)),
      );
      return {
        // FTS5 needs an explicit AND beside parentheses.
        tokens: matches.map(({ tokens }) => tokens).join(' AND '),
        conditions: matches.map(({ condition }) => condition),
        isBroad: matches.some(({ isBroad }) => isBroad),
      };
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

/** Prepares phrases, and keeps those of one search. */
function createFinderCache(): (phrase: string) => PhraseFinder {
  const finders = new Map<string, PhraseFinder>();
  return (phrase) => {
    const finder = finders.get(phrase) ?? createPhraseFinder(phrase);
    if (finders.size >= MAX_FINDERS) finders.clear();
    finders.set(phrase, finder);
    return finder;
  };
}

/** Returns whether one of the texts of a candidate has a phrase. @param isWhole whether the index has found the whole phrase */
function hasPhrase({ isPlain, isIn }: PhraseFinder, isWhole: boolean, texts: readonly (string | null)[]): boolean {
  // Without marks, the tokens of the index are the words.
  if (isWhole && isPlain && !texts.some((text) => text !== null && mayHaveMarks(text))) return true;
  return texts.some((text) => text !== null && isIn(text));
}

function matchPhrase(phrase: string, columns: readonly SQLiteColumn[], { forms, isWhole }: PhraseForms) {
  const hasWords = sql`has_phrase(${phrase}, ${Number(isWhole)}, ${sql.join([...columns], sql`, `)})`;
  // ASCII text has no marks.
  const isAscii = and(...columns.map((column) => sql`length(cast(${column} as blob)) is length(${column})`))!;
  return {
    tokens: forms.map(joinAlternatives).join(' AND '),
    condition: isWhole ? or(isAscii, hasWords)! : hasWords,
    // In many scripts, words have marks, and the index has the letters between them.
    isBroad: !isWhole || !IS_ASCII.test(foldText(phrase)),
  };
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
  // Most scripts have neither case nor accents (but two letters of Todhri); then the cheaper half of the folding is enough.
  const isCased = /\p{Cased}/u.test(folded) || /[\u0300-\u036F\u{105C9}\u{105E4}]/u.test(text);
  return (isCased ? foldText(text) : text.normalize('NFKC')).includes(folded);
}
