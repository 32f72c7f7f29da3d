import { eq } from 'drizzle-orm';
import { combineTerms, parseFind } from '#analysis/find/search-query.ts';
import { findAuthorId } from '#analysis/find/tweet-search-sql.ts';
import { describeRenamedHandle, readHolders, resolveHolder } from '#analysis/handle-holders.ts';
import { toLine } from '#analysis/sql/printable-text.ts';
import type { CommandHint } from '#base/errors.ts';
import { quoteShellWord } from '#base/text.ts';
import { tweets } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';

/** What people have to know about an answer, and what helps. */
export interface SearchNote {
  /** A line, without a full stop unless it has several sentences. */
  readonly text: string;
  /** The option that shows more. */
  readonly option?: 'limit' | 'includeDeleted' | undefined;
  /** The number of results that `includeDeleted` shows. */
  readonly count?: number | undefined;
  /** The command that collects what is missing. */
  readonly command?: CommandHint | undefined;
}

/** What was searched, and how. */
export interface SearchScope {
  /** Whether accounts were searched, and not tweets. */
  readonly isForUsers: boolean;
  readonly includeHidden: boolean;
}

/** The maximum columns of a quoted term. */
const MAX_TERM = 60;

/** What is wrong with terms that nothing can match. */
export const SEVERAL_AUTHORS = 'a tweet has one author: use one from:';
export const NO_TIME = 'since: has to be before until:, whose day is not included';

type Scope = Pick<SearchScope, 'isForUsers'>;

/** Explains the terms that leave a search without results or mean something else: operators that are none, impossible times. */
export function explainTerms(query: string, scope: Scope): string[] {
  const terms = parseFind(query, scope);
  const conditions = combineTerms(terms);
  if (!conditions) return ['the search has no words'];
  const { authors, from, to } = conditions;
  return [
    ...(authors.length > 1 ? [SEVERAL_AUTHORS] : []),
    ...(from >= to ? [NO_TIME] : []),
    ...terms.flatMap((term) => (term.kind === 'text' ? explainText(term.text, scope) : [])),
  ];
}

/** Says which accounts of a search the store does not have, or not by this handle. */
export function explainAccounts(db: Db, query: string, scope: Scope): SearchNote[] {
  const { authors = [], handles = [] } = combineTerms(parseFind(query, scope)) ?? {};
  return [
    ...authors.flatMap((handle) => explainAuthor(db, handle)),
    ...handles.flatMap((handle) => explainAccount(db, handle, `profile ${quoteShellWord(handle)}`)),
  ];
}

function explainAuthor(db: Db, handle: string): SearchNote[] {
  const args = `timeline ${quoteShellWord(handle)}`;
  const author = findAuthorId(db, handle);
  if (author === undefined) return explainAccount(db, handle, args);
  const hasTweets = db.select({ id: tweets.id }).from(tweets).where(eq(tweets.authorId, author)).limit(1).get();
  if (hasTweets) return [];
  return [
    {
      text: `the database has no tweets of ${toLine(handle, MAX_TERM)}`,
      command: { name: 'crawl', args, result: 'collects them' },
    },
  ];
}

/** Says that no account has a handle now, and how to get it. */
function explainAccount(db: Db, handle: string, args: string): SearchNote[] {
  const holders = readHolders(db, handle);
  if (holders.current) return [];
  const earlier = resolveHolder(holders);
  const shown = toLine(handle, MAX_TERM);
  return earlier
    ? [{ text: describeRenamedHandle(shown, earlier, undefined) }]
    : [
        {
          text: `the database has no account ${shown}`,
          command: { name: 'crawl', args, result: 'collects it' },
        },
      ];
}

/** Says that a text that looks like an operator is none. A quoted operator is a text on purpose. */
export function explainText(text: string, scope: Pick<SearchScope, 'isForUsers'>): string[] {
  const shown = `${toLine(text, MAX_TERM)} is searched as text`;
  if (text === 'OR') return [`${shown}: OR goes between two words or phrases`];
  if (/^-(?:from:|since:|until:|@|#)/i.test(text)) return [`${shown}: - excludes only words and phrases`];
  if (!/^(?:from|since|until):/i.test(text)) return [];
  if (scope.isForUsers) return [`${shown}: a search for accounts has no such operator`];
  if (parseFind(text, scope)[0]?.kind !== 'text') return [];
  return [`${shown}: ${/^from:/i.test(text) ? 'it names no account' : 'it has no day such as 2025-01-31'}`];
}
