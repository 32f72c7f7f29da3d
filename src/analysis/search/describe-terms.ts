import { combineTerms, parseFind, type SearchTerm } from '#analysis/find/search-query.ts';
import { toLine } from '#analysis/sql/printable-text.ts';
import { formatDay } from '#base/units.ts';
import { explainText, NO_TIME, type SearchScope, SEVERAL_AUTHORS } from './search-note.ts';

/** How a term of a search was read. */
export interface TermDescription {
  /** As it may be written. */
  readonly text: string;
  /** What has it: `by this user`. */
  readonly meaning: string;
  /** Why nothing matches it, or why it means something else than it seems. */
  readonly problem?: string | undefined;
}

const MAX_TERM = 60;

/** Describes the terms of a search in their order, each with what is wrong with it. @throws SearchError if there are too many */
export function describeTerms(query: string, scope: Pick<SearchScope, 'isForUsers'>): TermDescription[] {
  const terms = parseFind(query, scope);
  const conditions = combineTerms(terms);
  const isImpossible = conditions !== undefined && conditions.from >= conditions.to;
  const problems: Readonly<Partial<Record<SearchTerm['kind'], string>>> = {
    ...(conditions && conditions.authors.length > 1 && { author: SEVERAL_AUTHORS }),
    ...(isImpossible && { until: NO_TIME }),
  };
  return [
    ...terms.map((term) => ({
      ...describeTerm(term),
      problem: term.kind === 'text' ? explainText(term.text, scope)[0] : problems[term.kind],
    })),
    ...(isQuoteOpen(query) ? [OPEN_QUOTE] : []),
  ];
}

const OPEN_QUOTE: TermDescription = { text: '"', meaning: 'ignored', problem: 'the quote is never closed' };

/** Quotes come in pairs, whatever their form. */
const isQuoteOpen = (query: string): boolean => (query.match(/["“”„＂]/gu)?.length ?? 0) % 2 === 1;

const isPhrase = (text: string): boolean => /\s/.test(text);

/** A text as it may be written. */
function quote(text: string): string {
  const shown = toLine(text, MAX_TERM);
  return isPhrase(shown) ? `"${shown}"` : shown;
}

function describeTerm(term: SearchTerm): TermDescription {
  switch (term.kind) {
    case 'text':
      return isPhrase(term.text)
        ? { text: quote(term.text), meaning: 'these words next to each other' }
        : { text: quote(term.text), meaning: 'this word' };
    case 'any':
      return { text: term.texts.map(quote).join(' OR '), meaning: 'any of these' };
    case 'not':
      return { text: `-${quote(term.text)}`, meaning: isPhrase(term.text) ? 'not these words' : 'not this word' };
    case 'author':
      return { text: `from:${toLine(term.screenName, MAX_TERM)}`, meaning: 'by this user' };
    case 'hashtag':
      return { text: `#${toLine(term.tag, MAX_TERM)}`, meaning: 'with this hashtag' };
    case 'mention':
      return { text: `@${term.screenName}`, meaning: 'that mention this user' };
    case 'handle':
      return { text: `@${toLine(term.screenName, MAX_TERM)}`, meaning: 'whose handle this is' };
    case 'since':
      return { text: `since:${formatDay(term.at)}`, meaning: 'of this day and later (UTC)' };
    case 'until':
      return { text: `until:${formatDay(term.at)}`, meaning: 'before this day (UTC)' };
  }
}
