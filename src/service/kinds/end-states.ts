import { isKind, type Kind, kindTable, type TargetType } from './kinds.ts';

/**
 * The end state of a crawl, by its kind and its ending; exit codes, and whether a crawl can be resumed (invariants 4 and 5).
 * docs/completeness.md has the same table.
 *
 * - `complete`: the service ended a list that its specification pages, or answered with a single object, and nothing was
 *   rejected.
 * - `capped`: all that the endpoint shows is stored, and nothing says whether there is more. More may exist.
 * - `partial`: there is more, or something could not be stored.
 */

/** What ended a list. */
export type Ending = 'served' | 'one_page' | 'inferred' | 'since' | 'joined' | 'joined_inferred' | 'halved';

/** Why a crawl is partial. */
type PartialReason =
  | `cursor_${'unreadable' | 'ignored' | 'repeated' | 'cycle' | 'refused'}`
  | `max_${'pages' | 'requests'}`
  | 'rejected_items'
  | 'incomplete_response'
  | 'saturated';

/** The end of a crawl. */
export interface CrawlEnd {
  readonly state: 'complete' | 'capped' | 'partial' | 'failed' | 'cancelled';
  readonly reason?: string | undefined;
  readonly ending?: Ending | undefined;
  readonly error?: string | undefined;
  /** The crawl's handle as the service spells it. */
  readonly handle?: string | undefined;
}

/** The endings that show all that was requested, by the shape of the endpoint. After any other one, more may exist. */
const COMPLETE_ENDINGS: Readonly<Record<Kind['shape'], readonly Ending[]>> = {
  object: ['served'],
  'object with unpaged list': ['served'],
  // A list in chronological order that went past `--since` was read as far as requested.
  'paged list': ['served', 'since', 'joined'],
  'unpaged list': [],
};

/** Reasons that decide alone. With 404 the service itself says that there are no tweets, or that the target is gone. */
const REASONS: Readonly<Record<string, 'complete' | 'capped'>> = {
  no_tweets: 'complete',
  deleted: 'complete',
  unavailable: 'complete',
  seen_lately: 'complete',
  list_closed: 'capped',
  list_cut_short: 'capped',
};

/** The state of a crawl that reached its end without rejected items. */
export function decideEndState(kind: string, ending: Ending | undefined, reason?: string): 'complete' | 'capped' {
  if (reason !== undefined && REASONS[reason] !== undefined) return REASONS[reason];
  const endings: readonly (Ending | undefined)[] = isKind(kind) ? COMPLETE_ENDINGS[kindTable[kind].shape] : [];
  return endings.includes(ending) ? 'complete' : 'capped';
}

/** The ends of crawls that need no list, or that an answer of the service replaces. */
export const SEEN_LATELY: CrawlEnd = { state: 'complete', reason: 'seen_lately' };
export const NO_TWEETS = { state: 'complete', reason: 'no_tweets', ending: 'served' } as const satisfies CrawlEnd;

/** Why a list that shows nothing is no evidence: its account hides it. */
export const LIST_CLOSED = 'list_closed';

/** The end of a list of an account that the service calls unavailable. */
export const UNAVAILABLE_LIST: CrawlEnd = { state: 'capped', reason: LIST_CLOSED, ending: 'served' };

/** The ends of re-checks of a target that the service does not have (404). Nothing is known of other types of targets. */
export const GONE_ENDS: Readonly<Partial<Record<TargetType, CrawlEnd>>> = {
  tweet: { state: 'complete', reason: 'deleted', ending: 'served' },
  // The service does not say whether it was suspended, deleted or deactivated.
  account: { state: 'complete', reason: 'unavailable', ending: 'served' },
};

const GONE_REASONS: readonly (string | undefined)[] = ['deleted', 'unavailable', 'not_found'];

/** Whether an end says that the service does not have the target (404). */
export const isGoneEnd = ({ reason }: Pick<CrawlEnd, 'reason'>): boolean => GONE_REASONS.includes(reason);

/** The end of a crawl that found a forgotten account: nothing of it is stored. */
export const ACCOUNT_ERASED: CrawlEnd = { state: 'cancelled', reason: 'erased' };

/** What ended a list, and why there is more of it. */
export interface ListEnd {
  readonly ending?: Ending | undefined;
  readonly reason?: PartialReason | undefined;
}

/** The end of the crawl of a list, by its kind and the number of rejected items (invariant 5). */
export function createListEnd(kind: string, { ending, reason }: ListEnd, rejected: number): CrawlEnd {
  if (reason !== undefined) return createPartialEnd(reason, ending);
  return rejected > 0 ? createPartialEnd('rejected_items', ending) : { state: decideEndState(kind, ending), ending };
}

/** The end of a crawl that leaves something out: pages that follow, or rejected items. */
export const createPartialEnd = (reason: PartialReason, ending?: Ending): CrawlEnd => ({
  state: 'partial',
  reason,
  ending,
});

export const createFailedEnd = (reason: string, { message }: Error): CrawlEnd => ({
  state: 'failed',
  reason,
  error: message,
});

/** Whether the specification pages the list of a kind, so that its end is evidence. */
export const isPagedKind = (kind: string): boolean => isKind(kind) && kindTable[kind].shape === 'paged list';

/** States of crawls that stored all that the service showed. */
export const SUCCESS_STATES = ['complete', 'capped'] as const;

export const isSuccessState = ({ state }: { readonly state: string }): boolean =>
  (SUCCESS_STATES as readonly string[]).includes(state);

const EXIT_CODES: Readonly<Record<string, 0 | 1>> = { complete: 0, capped: 0, failed: 1 };

/** The consequences of an end. @param end of a crawl that reached the end of its list, with an `ending`; or of any other crawl that ended. */
export const summariseEnd = ({ state, ending }: { state: string; ending?: string | null | undefined }) => ({
  /** All that was requested is stored, by evidence. */
  isComplete: state === 'complete',
  /** It can continue where it stopped. */
  isResumable: !isSuccessState({ state }) && ending == null,
  exitCode: EXIT_CODES[state] ?? 3,
});
