import { and, desc, eq, gte, inArray, isNotNull, lt, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../store/database.ts';
import { tweetHashtags, tweetMentions, tweets, users } from '../store/schema.ts';
import { lastHolderOf } from './profiles.ts';
import type { Term } from './search-query.ts';
import { authoredColumns, type AuthoredRow } from './tweet-columns.ts';

/** Scripts without spaces between words. The index takes a whole run of them for one word, so they are sought as text. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}]/u;
/** The index knows letters and digits only: an emoji or a sign is sought as text too. */
const INDEXED = /[\p{L}\p{N}]/u;
const isLiteral = (text: string): boolean => UNSPACED.test(text) || !INDEXED.test(text);

/** Where no index narrows the search, text is sought in this many of the tweets stored last. */
const SCANNED = 500_000;

/** Every kind of term as a condition on `tweets`, but text, of which the full-text index takes its share. */
const CONDITIONS: { readonly [K in Exclude<Term['kind'], 'text'>]: (term: Extract<Term, { kind: K }>) => SQL } = {
  author: ({ screenName }) =>
    sql`${tweets.authorId} = (select ${users.id} from ${users} where ${lastHolderOf(screenName)})`,
  hashtag: ({ tag }) => sql`${tweets.id} in
    (select ${tweetHashtags.tweetId} from ${tweetHashtags} where ${tweetHashtags.tag} = ${tag})`,
  mention: ({ screenName }) => sql`${tweets.id} in
    (select ${tweetMentions.tweetId} from ${tweetMentions} where ${tweetMentions.screenName} = ${screenName})`,
  since: ({ at }) => gte(tweets.createdAt, at),
  until: ({ at }) => lt(tweets.createdAt, at),
};

const NARROWING: readonly Term['kind'][] = ['author', 'hashtag', 'mention'];

/** The table pairs each kind with its own type of term, which the compiler cannot follow through a lookup. */
const conditionOf = (term: Exclude<Term, { kind: 'text' }>): SQL =>
  (CONDITIONS[term.kind] as (term: Term) => SQL)(term);

const contains = (text: string): SQL =>
  sql`${tweets.text} like ${`%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`} escape '\\'`;

/** A term as an FTS5 string: whatever it holds, it is no syntax. */
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Finds tweets and replies for which all terms hold. */
export function createSearchReads(db: Db) {
  const rowsOf = (ids: number[]): AuthoredRow[] =>
    db
      .select(authoredColumns)
      .from(tweets)
      .leftJoin(users, eq(users.id, tweets.authorId))
      .where(inArray(tweets.id, ids))
      .all();

  return (terms: readonly Term[], limit: number): AuthoredRow[] => {
    // What is found may be much and is sorted by id alone; only the page is read in full.
    const ids = terms.length === 0 ? [] : findIds(db, terms, limit);
    const rows = new Map(rowsOf(ids).map((row) => [row.id, row]));
    return ids.flatMap((id) => rows.get(id) ?? []);
  };
}

/** By relevance where there are words; without, and among equals, newest first. */
function findIds(db: Db, terms: readonly Term[], limit: number): number[] {
  const texts = terms.flatMap((term) => (term.kind === 'text' ? [term.text] : []));
  const literals = texts.filter(isLiteral);
  const words = texts.filter((text) => !isLiteral(text));
  const narrowed = words.length > 0 || terms.some(({ kind }) => NARROWING.includes(kind));

  const where = [isNotNull(tweets.createdAt), ...literals.map(contains)];
  for (const term of terms) if (term.kind !== 'text') where.push(conditionOf(term));
  if (literals.length > 0 && !narrowed) where.push(sql`${tweets.id} > (select max(id) from tweets) - ${SCANNED}`);
  const order = [desc(tweets.createdAt), desc(tweets.id)];

  const found = db.select({ id: tweets.id }).from(tweets).$dynamic();
  if (words.length > 0) {
    found.innerJoin(sql`tweets_fts`, sql`tweets_fts.rowid = ${tweets.id}`);
    where.push(sql`tweets_fts match ${words.map(quoted).join(' ')}`);
    order.unshift(sql`bm25(tweets_fts)`);
  }
  return found
    .where(and(...where))
    .orderBy(...order)
    .limit(limit)
    .all()
    .map(({ id }) => id);
}
