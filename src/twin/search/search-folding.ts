import { type SQL, sql } from 'drizzle-orm';
import { tweets } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { foldText } from '../../text.ts';
import { foldedWords } from './search-text.ts';
import { findSpellings } from './spellings.ts';

/** Finds what the store holds in other forms than a search was written in: one folding for words, hashtags and text. */
export interface TextFolding {
  /** The expression of FTS5 for all of some phrases, in any spelling that is in the index. */
  match(phrases: readonly string[]): string;
  /** The stored hashtags that fold to a tag. */
  tagsOf(folded: string): string[];
  /** The condition that the text of a tweet holds a text, in any form that folds to the same. */
  contains(text: string): SQL;
}

/** A phrase of several words with other spellings is as many phrases; more are left out. */
const MAX_PHRASES = 64;

/** Prepares the reads, and adds a function and a temporary table to the connection. */
export function createTextFolding(db: Db): TextFolding {
  const { $client } = db;
  $client.function('holds_folded', { deterministic: true }, (text, folded) =>
    Number(holdsFolded(text as string | null, folded as string)),
  );
  // Row by row: an entry is not counted through to its end before the next one is looked for.
  $client.exec('create virtual table if not exists temp.tweet_terms using fts5vocab(main, tweets_fts, instance)');
  const nextTerm = $client
    .prepare<[string], string>('select term from temp.tweet_terms where term >= ? limit 1')
    .pluck();
  const nextTag = $client
    .prepare<[string], string>('select tag from tweet_hashtags where tag >= ? order by tag limit 1')
    .pluck();
  const termsOf = (folded: string) => findSpellings(folded, (from) => nextTerm.get(from));

  return {
    match(phrases) {
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
      // No AND is implied beside parentheses; beside other phrases, one without a word that the index knows is left out.
      const single = forms.filter(({ length }) => length === 1).map(([only]) => quotePhrase(only!));
      const alternatives = forms
        .filter(({ length }) => length > 1)
        .map((all) => `(${all.map(quotePhrase).join(' OR ')})`);
      return [...(single.length > 0 ? [single.join(' ')] : []), ...alternatives].join(' AND ');
    },

    tagsOf: (folded) => findSpellings(folded, (from) => nextTag.get(from)),

    contains(text) {
      const folded = foldText(text);
      // Signs that stand for letters (™) are sought as they are, or they would be found in words.
      if (/[\p{L}\p{N}]/u.test(folded) && !/[\p{L}\p{N}]/u.test(text)) return containsLiteral(text);
      const containsFolded = sql`length(cast(${tweets.text} as blob)) > length(${tweets.text}) and holds_folded(${tweets.text}, ${folded})`;
      // Texts in ASCII need no folding, and hold nothing else.
      return IS_ASCII.test(folded)
        ? sql`(${containsLiteral(folded)} or (${containsFolded}))`
        : sql`(${containsFolded})`;
    },
  };
}

/** Each choice of one form of every word, up to a number of them. */
function combineForms(words: readonly (readonly string[])[]): string[] {
  let [phrases = [], ...rest] = words;
  for (const forms of rest)
    phrases = phrases.flatMap((phrase) => forms.map((form) => `${phrase} ${form}`)).slice(0, MAX_PHRASES);
  return [...phrases];
}

const IS_ASCII = /^[\x20-\x7E]*$/;
const containsLiteral = (text: string): SQL =>
  sql`${tweets.text} like ${`%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`} escape '\\'`;

/** A phrase as an FTS5 string: whatever it holds, it is no syntax. */
const quotePhrase = (phrase: string): string => `"${phrase.replaceAll('"', '""')}"`;

/** Whether a text folds to one that holds `sought`, which is folded. */
function holdsFolded(text: string | null, folded: string): boolean {
  if (text === null) return false;
  // Without case or accents, which most scripts do not know, the cheaper half of the folding is all of it.
  const isCased = /\p{Cased}/u.test(folded) || /[\u0300-\u036F]/u.test(text);
  return (isCased ? foldText(text) : text.normalize('NFKC')).includes(folded);
}
