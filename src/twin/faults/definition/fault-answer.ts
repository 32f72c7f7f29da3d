import type { EndpointName } from '../../../service/contract/endpoints.ts';

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
