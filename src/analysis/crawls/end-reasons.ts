import { describePauseReason } from '#crawl/gates/describe-holds.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';

/** Why a crawl is partial, failed or capped: the values of `crawls.reason` of ended crawls. */
const REASONS: Readonly<Record<string, string>> = {
  no_tweets: 'the account has no tweets',
  seen_lately: 'its profile was fetched in the last minutes',
  saturated: 'the day has more tweets than the search shows',
  deleted: 'the service confirms that it is deleted',
  unavailable: 'the service does not have the account',
  erased: 'the account was forgotten, and nothing of it is stored',
  list_closed: 'the list is empty, and the account has items by its count or in the store: it may be closed',
  list_cut_short: 'the list is shorter than the count of the account explains',
  max_pages: 'page limit reached: more remain',
  max_requests: 'request budget used up: more remain',
  rejected_items: 'items were rejected',
  not_finished: 'it was not finished when its database last shipped',
  cursor_repeated: 'the service returned the same cursor again',
  cursor_refused: 'the service refused the cursor, also after a restart from the top',
  cursor_cycle: "the service's cursors form a cycle",
  cursor_unreadable: 'the service sent an unreadable cursor: more may exist',
  incomplete_response: 'the service said that its response is incomplete',
  cursor_ignored: 'the service ignored the cursor and sent the same page again',
  not_found: 'the service does not have it',
  forbidden: 'the service refuses it to this key',
  unreachable: 'all attempts failed',
  impossible: 'it cannot be requested',
  bug: 'a bug of trawl: please report it',
  contract_broken: 'the response does not match the interface',
  bad_request: 'the service refused the request',
};

/** Describes the reason of a crawl. Unknown reasons, of other versions, are shown as they are. @param failures in a row */
export const describeStopReason = (reason: string, failures?: number): string =>
  REASONS[reason] ?? describePauseReason(reason, failures) ?? reason.replaceAll('_', ' ');

/** What a user does about a crawl: a command with details, without `trawl`, or a sentence where no command helps. */
type Remedy = { readonly sentence: string } | { readonly command: string };

/** The remedies by the reasons of crawls. The others are resumed. */
const REMEDIES: Readonly<Record<string, Remedy>> = {
  not_found: { sentence: 'Check the handle or id.' },
  forbidden: { sentence: 'Use a key that may read it.' },
  bad_request: { sentence: 'Check the target.' },
  impossible: { sentence: 'Check the target.' },
  bug: { sentence: 'Report it, and retry after an update of trawl.' },
  contract_broken: { command: 'doctor' },
  cursor_unreadable: { command: 'doctor' },
  rejected_items: { command: 'rejects' },
};

export const findRemedy = (reason: string | null): Remedy | undefined => REMEDIES[reason ?? ''];

/** Returns the arguments of `trawl`, or a sentence, for all crawls that failed for a reason; null if the reason is unknown. */
export const adviseOnFailures = (reason: string | null): Remedy | null =>
  findRemedy(reason) ?? (reason === null ? null : { command: `crawls resume --reason ${reason}` });

/** How a list ended, where that is not obvious from the state. */
const ENDINGS: Readonly<Record<string, string>> = {
  one_page: 'the service shows one page; more may exist',
  halved: 'searched again in parts',
  joined: 'older items are already stored',
  inferred: 'the end was inferred from empty pages; more may exist',
  joined_inferred: 'older items are already stored, down to an inferred end; more may exist',
};

/** Describes the reason and the ending of a crawl; empty if it has neither. */
export function explainState(row: Pick<CrawlRow, 'reason' | 'ending' | 'consecutiveFailures'>): string {
  const reason = row.reason === null ? '' : describeStopReason(row.reason, row.consecutiveFailures);
  const ending = row.reason === 'saturated' ? '' : (ENDINGS[row.ending ?? ''] ?? '');
  return [reason, ending].filter((part) => part !== '').join(': ');
}
