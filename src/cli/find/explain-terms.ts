import { eq } from 'drizzle-orm';
import { readHolders, resolveHolder } from '../../analysis/handle-holders.ts';
import { toLine } from '../../analysis/sql/printable-text.ts';
import { combineTerms } from '../../search/search-conditions.ts';
import { parseSearch, parseUserSearch } from '../../search/search-query.ts';
import { findAuthorId } from '../../search/tweet-search.ts';
import { tweets } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { quoteShellWord } from '../../text.ts';
import { hint } from '../shared/command-hints.ts';
import { describeRenamedHandle } from '../targets/renamed-handles.ts';
import type { FindOptions } from './command.ts';

/** The maximum columns of a quoted term. */
const MAX_TERM = 60;

/** Explains the terms that leave a search without results: accounts that are not stored, and operators that are none. */
export function explainTerms(db: Db, query: string, { users }: Pick<FindOptions, 'users'>): string[] {
  const terms = users ? parseUserSearch(query) : parseSearch(query);
  const conditions = combineTerms(terms);
  if (!conditions) return ['the search has no words'];
  const { authors, handles, from, to } = conditions;
  return [
    ...authors.flatMap((handle) => explainAuthor(db, handle)),
    ...handles.flatMap((handle) => explainAccount(db, handle, `profile ${quoteShellWord(handle)}`)),
    ...(authors.length > 1 ? ['a tweet has one author: use one from:'] : []),
    ...(from >= to ? ['since: has to be before until:, whose day is not included'] : []),
    ...terms.flatMap((term) => (term.kind === 'text' ? explainText(term.text, users === true) : [])),
  ];
}

function explainAuthor(db: Db, handle: string): string[] {
  const command = `timeline ${quoteShellWord(handle)}`;
  const author = findAuthorId(db, handle);
  if (author === undefined) return explainAccount(db, handle, command);
  const hasTweets = db.select({ id: tweets.id }).from(tweets).where(eq(tweets.authorId, author)).limit(1).get();
  if (hasTweets) return [];
  return [`the database has no tweets of ${toLine(handle, MAX_TERM)}: ${hint('crawl', command)} collects them`];
}

/** Says that no account has a handle now, and how to get it. */
function explainAccount(db: Db, handle: string, command: string): string[] {
  const holders = readHolders(db, handle);
  if (holders.current) return [];
  const earlier = resolveHolder(holders);
  const shown = toLine(handle, MAX_TERM);
  return earlier
    ? [describeRenamedHandle(shown, earlier, undefined)]
    : [`the database has no account ${shown}: ${hint('crawl', command)} collects it`];
}

/** Says that a text that looks like an operator is none. A quoted operator is a text on purpose. */
function explainText(text: string, isUsers: boolean): string[] {
  if (!/^(?:from|since|until):/i.test(text)) return [];
  const shown = toLine(text, MAX_TERM);
  if (isUsers) return [`${shown} is searched as text: a search for accounts has no such operator`];
  if (parseSearch(text)[0]?.kind !== 'text') return [];
  return /^from:/i.test(text)
    ? [`${shown} is searched as text: it names no account`]
    : [`${shown} is searched as text: it has no day such as 2025-01-31`];
}
