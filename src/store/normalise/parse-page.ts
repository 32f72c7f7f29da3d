import type { EndpointName } from '../../service/contract/endpoints.ts';
import type { Hint } from '../../service/contract/envelope.ts';
import type { PageCursor } from '../../service/contract/read-cursor.ts';
import { readPage, type ResponseHead } from '../../service/contract/wire-page.ts';
import type { PageRows } from '../schema/normalised-rows.ts';
import { type NormalisedPage, normalisers } from './normalise-page.ts';

/** What a crawl decides by: plain data, without the rows. */
export interface PageSummary extends Omit<NormalisedPage, 'rows'> {
  readonly cursor: PageCursor;
  /** Hints that the list goes on, outside of the places of a cursor. */
  readonly hints: readonly Hint[];
  /** Why the response is incomplete; undefined if nothing says so. */
  readonly incomplete: string | undefined;
  /** The service calls the account of the list unavailable. */
  readonly isUnavailable: boolean;
  /** How many entries of the list were served, rejected ones included. */
  readonly servedCount: number;
  /** The replies that the requested tweet counts; undefined on other pages. */
  readonly replyCount: number | null | undefined;
}

/** A parsed page. Its summary goes to the crawl, its rows to the store. */
export interface ParsedPage {
  readonly summary: PageSummary;
  readonly rows: PageRows;
}

/** The request that a page answers: its endpoint, and the id, handle or query that it names. */
export interface PageRequest {
  readonly endpoint: Exclude<EndpointName, 'token-info'>;
  readonly value: string;
}

/** Parses and normalises the body of a page. @throws ContractError if it is not in the form of the specification */
export function parsePage(body: unknown, { endpoint, value }: PageRequest, head?: ResponseHead): ParsedPage {
  const wire = readPage(endpoint, body, head);
  const { rows, ...page } = normalisers[endpoint](wire, value);
  const { cursor, hints, incomplete, isUnavailable, items, unexpectedEntries } = wire;
  const servedCount = items.length + unexpectedEntries.length;
  const tweet = endpoint === 'tweet-detail' ? rows.tweets.find(({ restId }) => restId === value) : undefined;
  return {
    rows,
    summary: { ...page, cursor, hints, incomplete, isUnavailable, servedCount, replyCount: tweet?.replyCount },
  };
}

/** A text that differs between the summaries of different pages of a list. */
export const fingerprint = ({ cursor, owner, itemIds, servedCount }: PageSummary): string =>
  JSON.stringify([cursor, owner?.restId, servedCount, itemIds.length, itemIds[0], itemIds.at(-1)]);
