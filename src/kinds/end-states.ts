import { isKind, type Kind, kindTable } from './kinds.ts';

/**
 * How a crawl ends, by its kind and by what ended it: the one source of states, exit codes and of what can be resumed
 * (invariants 4 and 5). docs/operating/crawl.md has the same table.
 *
 * - `complete`: the service ended a list that its specification pages, or answered with a single object, and nothing was
 *   rejected.
 * - `capped`: all that the endpoint shows is stored, and nothing says whether there is more. More may exist.
 * - `partial`: there is more, or something could not be stored.
 */

/** What ended a list, where it is not a reason of its own. */
export type Ending = 'served' | 'one_page' | 'inferred' | 'since' | 'joined' | 'joined_inferred' | 'halved';

/** How a crawl ends. */
export interface CrawlEnd {
  readonly state: 'complete' | 'capped' | 'partial' | 'failed';
  readonly reason?: string | undefined;
  readonly ending?: Ending | undefined;
  readonly error?: string | undefined;
  /** The crawl's handle as the service spells it. */
  readonly handle?: string | undefined;
}

type StateOf = Readonly<Record<Ending, 'complete' | 'capped'>>;

const CAPPED: StateOf = {
  served: 'capped',
  one_page: 'capped',
  inferred: 'capped',
  since: 'capped',
  joined: 'capped',
  joined_inferred: 'capped',
  halved: 'capped',
};

const STATES: Readonly<Record<Kind['shape'], StateOf>> = {
  object: { ...CAPPED, served: 'complete' },
  'object with unpaged list': { ...CAPPED, served: 'complete' },
  // A list that is in order of time and went past `--since` was seen as far as it was wanted.
  'paged list': { ...CAPPED, served: 'complete', since: 'complete', joined: 'complete' },
  'unpaged list': CAPPED,
};

/** Reasons that decide alone. An answer of 404 is the service's own word: no tweets, or deleted. */
const REASONS: Readonly<Record<string, 'complete' | 'capped'>> = {
  no_tweets: 'complete',
  deleted: 'complete',
  seen_lately: 'complete',
  list_closed: 'capped',
  list_cut_short: 'capped',
};

/** The state of a crawl that came to its end with nothing rejected. */
export function decideEndState(kind: string, ending: Ending | undefined, reason?: string): 'complete' | 'capped' {
  if (reason !== undefined && REASONS[reason] !== undefined) return REASONS[reason];
  return !isKind(kind) || ending === undefined ? 'capped' : STATES[kindTable[kind].shape][ending];
}

/** Whether the specification pages the list of a kind, so that its end is evidence. */
export const isPagedKind = (kind: string): boolean => isKind(kind) && kindTable[kind].shape === 'paged list';

/** States of crawls that stored all that they were shown. */
export const SUCCESS_STATES = ['complete', 'capped'] as const;

export const isSuccessState = ({ state }: { readonly state: string }): boolean =>
  (SUCCESS_STATES as readonly string[]).includes(state);

/** What follows from how a crawl ended. */
export interface EndSummary {
  /** By evidence, all that was asked for is stored. */
  readonly isComplete: boolean;
  /** It can go on where it stopped. */
  readonly isResumable: boolean;
  readonly exitCode: 0 | 1 | 3;
}

const EXIT_CODES: Readonly<Record<string, EndSummary['exitCode']>> = { complete: 0, capped: 0, failed: 1 };

/** @param end a crawl that ended; one that came to the end of its list has an `ending`. */
export const summariseEnd = ({ state, ending }: { state: string; ending?: string | null | undefined }): EndSummary => ({
  isComplete: state === 'complete',
  isResumable: !isSuccessState({ state }) && ending == null,
  exitCode: EXIT_CODES[state] ?? 3,
});

/** What a crawl is short of, by the count of the account's profile: nothing where the two agree well enough. */
export type Shortfall = 'list_closed' | 'list_cut_short';

/** So many may be lacking of any list: suspended accounts are counted and not shown, and counts are stale. */
const FEW = 20;

/**
 * Whether a list of followers or followed accounts is closed or cut short (spec, Endpoint rules 6): it shows nobody
 * though the count is not 0, or less than three quarters of the count and at least 20 fewer. Such a list proves nothing
 * of what it lacks.
 *
 * @param counted null or undefined where no count is known.
 */
export function findShortfall(shown: number, counted: number | null | undefined): Shortfall | undefined {
  if (shown === 0) return counted === 0 ? undefined : 'list_closed';
  if (counted == null) return undefined;
  return counted - shown >= FEW && 4 * shown < 3 * counted ? 'list_cut_short' : undefined;
}
