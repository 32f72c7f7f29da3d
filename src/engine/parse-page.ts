import type { PageCursor } from '../contract/cursors.ts';
import { readPage } from '../contract/pages.ts';
import { type NormalisedPage, normalisers } from '../normalise/pages.ts';
import { checkOwner } from './crawl-handles.ts';
import type { CrawlState } from './crawl-state.ts';
import type { FetchedBody } from './fetch-page.ts';

/** What a decision needs of a page: plain data, without the rows. */
export interface PageSummary extends Omit<NormalisedPage, 'rows'> {
  readonly cursor: PageCursor;
  /** How many entries of the list were served, rejected ones included. */
  readonly servedCount: number;
  /** The replies that the requested tweet counts; undefined on other pages. */
  readonly replyCount: number | null | undefined;
}

export interface ParsedPage {
  readonly summary: PageSummary;
  readonly rows: NormalisedPage['rows'];
}

/** Parses and normalises a page. @throws ContractError if it is not in the form of the specification, or another account's */
export function parsePage(state: CrawlState, { body, requestValue }: FetchedBody): ParsedPage {
  const { crawl, kind } = state;
  const wire = readPage(kind.endpoint, body);
  const page = normalisers[kind.endpoint](wire, { target: requestValue });
  checkOwner(state, requestValue, page.owner);
  const { rows, ...summary } = page;
  const { cursor, items, unexpectedEntries } = wire;
  const servedCount = items.length + unexpectedEntries.length;
  const replyCount =
    kind.targetType === 'tweet' ? rows.tweets.find(({ restId }) => restId === crawl.target)?.replyCount : undefined;
  return { rows, summary: { ...summary, cursor, servedCount, replyCount } };
}
