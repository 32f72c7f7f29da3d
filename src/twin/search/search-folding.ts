import { type SQL, sql } from 'drizzle-orm';
import { tweets } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { foldText } from '../../text.ts';
import { foldedWords } from './search-text.ts';
import { findSpellings } from './spellings.ts';

export type TextFolding = ReturnType<typeof createTextFolding>;

/** Maximum combinations of spellings of a phrase; more are ignored. */
const MAX_PHRASES = 64;

/**
 * Finds stored forms of text that fold to the same as the search: words, hashtags and text. Adds a function and a
 * temporary table to the connection.
 */
export function createTextFolding(db: Db) {
  const { $client } = db;
  $client.function('holds_folded', { deterministic: true }, (text, folded) =>
    Number(holdsFolded(text as string | null, folded as string)),
  );
  // The `instance` type reads row by row; the others first count all instances of a term.
  $client.exec('create virtual table if not exists temp.tweet_terms using fts5vocab(main, tweets_fts, instance)');
  const nextTerm = $client
    .prepare<[string], string>('select term from temp.tweet_terms where term >= ? limit 1')
    .pluck();
  const nextTag = $client
    .prepare<[string], string>('select tag from tweet_hashtags where tag >= ? order by tag limit 1')
    .pluck();
  const termsOf = (folded: string) => findSpellings(folded, (from) => nextTerm.get(from));

  return {
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
      const alternatives = forms
        .filter(({ length }) => length > 1)
        .map((all) => `(${all.map(quotePhrase).join(' OR ')})`);
      return [...(single.length > 0 ? [single.join(' ')] : []), ...alternatives].join(' AND ');
    },

    /** Returns the stored hashtags that fold to a tag. */
    tagsOf: (folded: string): string[] => findSpellings(folded, (from) => nextTag.get(from)),

    /** Returns the condition that a tweet contains a text, in any form that folds to the same. */
    contains(text: string): SQL {
      const folded = foldText(text);
      // A sign that folds to letters (™) is searched literally, or it would match inside words.
      if (/[\p{L}\p{N}]/u.test(folded) && !/[\p{L}\p{N}]/u.test(text)) return containsLiteral(text);
      const containsFolded = sql`length(cast(${tweets.text} as blob)) > length(${tweets.text}) and holds_folded(${tweets.text}, ${folded})`;
      // ASCII text needs no folding.
      return IS_ASCII.test(folded)
        ? sql`(${containsLiteral(folded)} or (${containsFolded}))`
        : sql`(${containsFolded})`;
    },
  };
}

/** Returns the combinations of one form per word, up to MAX_PHRASES. */
function combineForms(words: readonly (readonly string[])[]): string[] {
  let [phrases = [], ...rest] = words;
  for (const forms of rest)
    phrases = phrases.flatMap((phrase) => forms.map((form) => `${phrase} ${form}`)).slice(0, MAX_PHRASES);
  return [...phrases];
}

const IS_ASCII = /^[\x20-\x7E]*$/;
const containsLiteral = (text: string): SQL =>
  sql`${tweets.text} like ${`%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`} escape '\\'`;

/** Quotes a phrase as an FTS5 string. */
const quotePhrase = (phrase: string): string => `"${phrase.replaceAll('"', '""')}"`;

/** Returns whether a text folds to one that contains `folded`. */
function holdsFolded(text: string | null, folded: string): boolean {
  if (text === null) return false;
  // Most scripts have neither case nor accents; then the cheaper half of the folding is enough.
  const isCased = /\p{Cased}/u.test(folded) || /[\u0300-\u036F]/u.test(text);
  return (isCased ? foldText(text) : text.normalize('NFKC')).includes(folded);
}
