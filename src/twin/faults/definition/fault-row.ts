import Type, { type Static, type TObject, type TProperties } from 'typebox';
import type { SeededRandom } from '#base/seeded-random.ts';
import { type EndpointName, endpointTable } from '#service/contract/endpoints.ts';
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

/** A request, as plain data. */
export interface FaultRequest {
  readonly endpoint: EndpointName;
  readonly key: string;
  /** The value of the endpoint's required parameter; empty where there is none. */
  readonly target: string;
  /** The cursor as it was sent. */
  readonly cursor: string | undefined;
  /** Milliseconds UTC, for dates in responses only. */
  readonly now: number;
  /** Whether the client accepts gzip. */
  readonly acceptsGzip?: boolean | undefined;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, which faults copy before a change; bytes are sent as they are. */
  readonly body: unknown;
}

export interface FaultAnswer extends ServiceAnswer {
  /** Delay before the response, in milliseconds. */
  readonly delayMs: number;
  /** Duration of sending the body in chunks, in milliseconds. */
  readonly bodyMs: number;
  /** Where the connection closes: after this many bytes of the body or before the headers; undefined if it stays open. */
  readonly cut: number | 'before' | undefined;
  /** The applied faults, in the order of the plan. */
  readonly appliedFaults: readonly string[];
}

/** Creates a complete response without delay. */
export const createAnswer = (status: number, body: unknown, headers: Record<string, string> = {}): FaultAnswer => ({
  status,
  headers: {
    'content-type': status < 400 ? 'application/json; charset=utf-8' : 'application/problem+json',
    ...headers,
  },
  body,
  delayMs: 0,
  bodyMs: 0,
  cut: undefined,
  appliedFaults: [],
});

/** Creates an error response (RFC 9457). */
export const createProblem = (
  status: number,
  title: string,
  detail: string,
  headers?: Record<string, string>,
): FaultAnswer => createAnswer(status, { type: 'about:blank', title, status, detail }, headers);

export const encodeAnswer = ({ body }: Pick<ServiceAnswer, 'body'>): Buffer =>
  Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));

/** The conditions of a rule. All given conditions have to hold; a rule without conditions always applies. */

export const ENDPOINT_NAMES = Object.keys(endpointTable) as EndpointName[];

const closed = { additionalProperties: false } as const;
const wholeNumber = (minimum: number, description: string) =>
  Type.Integer({ minimum, maximum: 1_000_000_000, description });

export const conditionProperties = {
  endpoints: Type.Optional(
    Type.Array(Type.Enum(ENDPOINT_NAMES), {
      minItems: 1,
      description: `a list of ${ENDPOINT_NAMES.join(', ')} (default: all that the fault applies to)`,
    }),
  ),
  rate: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'the share of requests, from 0 to 1; chosen by the seed' }),
  ),
  every: Type.Optional(wholeNumber(1, 'an integer from 1: 10 is the 10th, the 20th and so on')),
  at: Type.Optional(
    Type.Array(wholeNumber(1, 'an integer from 1'), {
      minItems: 1,
      description: 'a list of requests such as [3, 7]',
    }),
  ),
  after: Type.Optional(wholeNumber(0, 'an integer from 0: 5 is from the 6th request on')),
  until: Type.Optional(wholeNumber(1, 'an integer from 1: 20 is up to the 20th request')),
  burst: Type.Optional(
    Type.Object(
      {
        every: wholeNumber(1, 'an integer from 1: 50 is at the 50th, the 100th and so on'),
        length: wholeNumber(1, 'an integer from 1: the number of requests in a row'),
      },
      { ...closed, description: 'every: and length:, such as { every: 50, length: 3 }' },
    ),
  ),
  pages: Type.Optional(
    Type.Enum(['first', 'next'], { description: 'first (requests without a cursor) or next (those with one)' }),
  ),
  count: Type.Optional(
    Type.Enum(['target', 'endpoint', 'key'], {
      description:
        'target (counts the requests of each endpoint and target separately), endpoint, or key (counts all requests of a key)',
    }),
  ),
};

const whenSchema = Type.Object(conditionProperties);
export type FaultCondition = Static<typeof whenSchema>;

/** Returns whether the n-th request that a rule counts triggers its fault. Random numbers are drawn for `rate` only. */
export function isTriggeredAt(when: FaultCondition, n: number, random: () => SeededRandom): boolean {
  const { rate, every, at, after = 0, until = Infinity, burst } = when;
  if (n <= after || n > until) return false;
  if (every !== undefined && n % every !== 0) return false;
  if (at && !at.includes(n)) return false;
  if (burst && (n < burst.every || n % burst.every >= burst.length)) return false;
  return rate === undefined || random().chance(rate);
}
