import type { EndpointName } from '../contract/endpoints.ts';

/** One request, as far as faults look at it. Plain data, so that no server is needed. */
export interface FaultRequest {
  readonly endpoint: EndpointName;
  /** Who asks: a name, never the key itself. */
  readonly key: string;
  /** The value of the endpoint's required parameter; empty where there is none. */
  readonly target: string;
  /** The cursor as it was sent. */
  readonly cursor: string | undefined;
  /** Milliseconds; only dates in answers come from it, never a decision. */
  readonly now: number;
  /** Whether the client said that it accepts gzip. */
  readonly acceptsGzip?: boolean | undefined;
}

/** What the service would have answered. */
export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON. It is not changed. */
  readonly body: unknown;
}

/** What is sent in its place. */
export interface FaultAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or the bytes themselves. */
  readonly body: unknown;
  /** How long nothing comes. */
  readonly delayMs: number;
  /** How long the body then takes to come, in pieces. */
  readonly bodyMs: number;
  /**
   * Where the connection ends: after so many bytes of a body whose headers promise all of it, or before any header;
   * undefined is nowhere.
   */
  readonly cut: number | 'before' | undefined;
  /** The faults that show in it, in the order of the plan. */
  readonly appliedFaults: readonly string[];
}

/** An answer that comes at once and whole. */
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

/** The body as it goes over the wire. */
export const encodeAnswer = ({ body }: Pick<FaultAnswer, 'body'>): Buffer =>
  Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
