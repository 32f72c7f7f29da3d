import type { Static, TObject, TProperties } from 'typebox';
import type { EndpointName } from '../contract/endpoints.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { CountScope } from './condition.ts';
import type { FaultAnswer, FaultRequest } from './fault-answer.ts';
import type { FaultPage } from './fault-page.ts';

/**
 * What becomes of a crawl that does all that can be done:
 *
 *   same     it ends with the same rows
 *   stopped  it ends early, and can know that it did
 *   altered  rows differ from the store's, or are set aside
 *   lost     rows are missing, and nobody can know: no honest service does so
 */
export type FaultOutcome = 'same' | 'stopped' | 'altered' | 'lost';

/** What a row's functions are given: one request that the rule is about. */
export interface FaultContext<O = Readonly<Record<string, unknown>>, M = object> {
  /** With the cursor as it was sent. */
  readonly request: FaultRequest;
  /** Whether the fault strikes. Only rows with a memory are asked when it does not. */
  readonly isTriggered: boolean;
  readonly options: O;
  /** The rule's name among the plan's rules; aliases carry it. */
  readonly rule: string;
  /** The same numbers for the same seed, rule and request. */
  readonly random: SeededRandom;
  /** What the row remembers of this endpoint and target. */
  readonly state: M;
}

/** One fault: a row of the table. Its functions say what it does, at the moments at which it can do something. */
export interface FaultRow<P extends TProperties = TProperties, M extends object = object> {
  /** One sentence for people. */
  readonly description: string;
  readonly outcome: FaultOutcome;
  /** Whether a struck request costs quota: not where it is turned away. True when absent. */
  readonly costs?: false;
  /** What it can be told besides when to strike. */
  readonly options: TObject<P>;
  /** Where it means anything; everywhere when absent. */
  readonly endpoints?: readonly EndpointName[];
  /** What is counted, unless the rule says otherwise; the requests of one list when absent. */
  readonly count?: CountScope;
  /** A row with a memory is called for every request at the rule's endpoints, struck or not. */
  readonly createState?: () => M;
  /** An answer in place of the service, which never sees the request: it costs no quota. */
  readonly replaceRequest?: (strike: FaultContext<Static<TObject<P>>, M>) => FaultAnswer | undefined;
  /** The service is asked for the start of the list, whatever the cursor. */
  readonly ignoresCursor?: true;
  /** Changes a good answer's page in place; false when there was nothing to change. */
  readonly changePage?: (page: FaultPage, strike: FaultContext<Static<TObject<P>>, M>) => boolean;
  /** Makes another answer of one that cost quota; the same one when there was nothing to change. */
  readonly changeAnswer?: (answer: FaultAnswer, strike: FaultContext<Static<TObject<P>>, M>) => FaultAnswer;
}

/** Gives a row the types of its own options and memory; the table holds them all alike. */
export const defineFault = <P extends TProperties, M extends object = object>(row: FaultRow<P, M>): FaultRow =>
  row as unknown as FaultRow;
