import type { Static, TObject, TProperties } from 'typebox';
import type { SeededRandom } from '../../../base/seeded-random.ts';
import type { EndpointName } from '../../../service/contract/endpoints.ts';
import type { FaultAnswer, FaultRequest } from './fault-answer.ts';
import type { FaultCondition } from './fault-condition.ts';
import type { FaultPage } from './fault-page.ts';

/**
 * The result of a crawl that handles the fault as well as possible:
 *
 *   same     it ends with the same rows
 *   stopped  it ends early and can detect it
 *   altered  rows differ from the service's or are rejected
 *   lost     rows are missing and nobody can detect it; no honest service does so
 */
export type FaultOutcome = 'same' | 'stopped' | 'altered' | 'lost';

/** The input of a row's functions: a request that matches the rule. */
export interface FaultContext<O = Readonly<Record<string, unknown>>, M = object> {
  readonly request: FaultRequest;
  /** Whether the fault is triggered. Only rows with state are called otherwise. */
  readonly isTriggered: boolean;
  readonly options: O;
  /** The unique name of the rule, which aliases carry. */
  readonly rule: string;
  /** Random numbers that depend on seed, rule and request only. */
  readonly random: SeededRandom;
  /** State of this endpoint and target. */
  readonly state: M;
}

export interface FaultRow<P extends TProperties = TProperties, M extends object = object> {
  /** One sentence for the documentation. */
  readonly description: string;
  readonly outcome: FaultOutcome;
  /** Whether a triggered request costs quota; true if absent. */
  readonly costs?: false;
  /** The schemas of its options besides conditions. */
  readonly options: P;
  /** The endpoints that it applies to; all if absent. */
  readonly endpoints?: readonly EndpointName[];
  /** The default of `count`; the requests of each target if absent. */
  readonly count?: FaultCondition['count'];
  /** A row with state is called for every request at the rule's endpoints, triggered or not. */
  readonly createState?: () => M;
  /** A response instead of the service's, which never sees the request and charges no quota. */
  readonly replaceRequest?: (context: FaultContext<Static<TObject<P>>, M>) => FaultAnswer | undefined;
  /** The service gets the request without its cursor. */
  readonly ignoresCursor?: true;
  /** Changes the page of a success response in place; returns false if nothing changed. */
  readonly changePage?: (page: FaultPage, context: FaultContext<Static<TObject<P>>, M>) => boolean;
  /** Returns another response for one that cost quota; the same object if nothing changed. */
  readonly changeAnswer?: (answer: FaultAnswer, context: FaultContext<Static<TObject<P>>, M>) => FaultAnswer;
}

/** Types a row by its own options and state. */
export const defineFault = <P extends TProperties = {}, M extends object = object>(
  row: Omit<FaultRow<P, M>, 'options'> & { readonly options?: P },
): FaultRow => ({ options: {}, ...row }) as unknown as FaultRow;

/** Restricts rows to some endpoints. */
export const atEndpoints = <T extends Readonly<Record<string, FaultRow>>>(
  endpoints: readonly EndpointName[],
  rows: T,
): T => Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, { ...row, endpoints }])) as unknown as T;
