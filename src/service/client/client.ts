import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import { type Clock, SECOND, systemClock } from '#base/clock.ts';
import { TransientError, UsageError } from '#base/errors.ts';
import { observedTokenUsage } from '#service/contract/accepted-resources.ts';
import { API_KEY_HEADER, type EndpointName, endpointTable } from '#service/contract/endpoints.ts';
import { parseTimestamp } from '#service/contract/timestamps.ts';
import { readData } from '#service/contract/wire-page.ts';
import {
  decodeBody,
  decodePrefix,
  type HttpResponse,
  isSuccess,
  type RequestOptions,
  type ResponseHeaders,
  sendRequest,
  formatHeaders,
} from './exchange.ts';
import { createNetworkError } from './network-errors.ts';
import { parseDataResponse, createStatusError } from './parse-response.ts';
import { createRedactor } from './redactor.ts';

export interface ClientOptions {
  /** The base URL of the service, optionally with a path. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** How parameters are sent: in the query string (GET, if the address has at most 8 KB) or a JSON body (POST). */
  readonly method?: 'GET' | 'POST' | undefined;
  /** The maximum number of connections; further requests wait. */
  readonly connections?: number | undefined;
  /** The deadline of one request, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** The maximum size of a decoded body, in bytes. */
  readonly maxBytes?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Replaces the network in tests; by default a connection pool to the base URL. */
  readonly dispatcher?: Pick<Dispatcher, 'dispatch' | 'destroy'> | undefined;
}

export interface ServiceResponse {
  readonly endpoint: EndpointName;
  readonly status: number;
  readonly contentType: string | undefined;
  /** The headers as JSON, without secrets: see `formatHeaders`. */
  readonly headers: string;
  /** The decoded body without the API key, in a buffer of its own. `parse` reads its JSON. */
  readonly raw: Buffer;
  /**
   * The body as it arrived, in a buffer of its own, if it is gzip that contains nothing but `raw`: a single member without
   * optional header fields, and no API key.
   */
  readonly gzip: Buffer | undefined;
  /** Duration in milliseconds. */
  readonly ms: number;
  /** When the request was sent, in milliseconds UTC. */
  readonly at: number;
  /** Size of the body on the wire. */
  readonly bytes: number;
}

export interface TokenInfo {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds UTC; undefined if the service sent no readable time. */
  readonly resetAt: number | undefined;
  /** When the request was sent, in milliseconds UTC. */
  readonly at: number;
}

export type Client = ReturnType<typeof createClient>;

const MAX_ERROR_BYTES = 64 * 1024;
/** A longer address is refused by many servers (414 or 431): such a request is sent by POST. In characters. */
const MAX_ADDRESS = 8 * 1024;
const MEBIBYTE = 1024 * 1024;

/** Creates a client of the service. No error that it throws contains the API key. */
export function createClient(options: ClientOptions) {
  const {
    apiKey,
    method = 'GET',
    connections = 64,
    timeoutMs = 30 * SECOND,
    maxBytes = 32 * MEBIBYTE,
    clock = systemClock,
  } = options;
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new UsageError('the API key should be one line of printable ASCII', { hint: 'Check TRAWL_API_KEY.' });
  if (!/^https?:\/\/[^@?#]+$/.test(options.baseUrl) || !URL.canParse(options.baseUrl)) {
    throw new UsageError('the address of the service should be like https://api.example.org', {
      hint: 'Check TRAWL_API_URL.',
    });
  }
  const { origin, pathname } = new URL(options.baseUrl);
  const prefix = pathname.replace(/\/+$/, '');
  const redact = createRedactor(apiKey);
  const limits = { address: redact.text(`${origin}${prefix}/`), timeoutMs, maxBytes, redact: redact.text };
  const pool =
    options.dispatcher ??
    new Pool(origin, {
      connections,
      // `sendRequest` has a deadline for the whole exchange.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: Math.min(timeoutMs, 10 * SECOND) },
      maxResponseSize: maxBytes,
    });
  const headers = {
    [API_KEY_HEADER]: apiKey,
    accept: 'application/json',
    'accept-encoding': 'gzip',
    'user-agent': 'trawl',
  };

  function buildRequest(
    endpoint: EndpointName,
    params: Readonly<Record<string, string>>,
    byPost: boolean,
  ): RequestOptions['request'] {
    const path = `${prefix}${endpointTable[endpoint].path}`;
    // Every parser understands %20 as a space, but not every one `+`. A literal plus is %2B here.
    const query = new URLSearchParams(params).toString().replaceAll('+', '%20');
    const address = query ? `${path}?${query}` : path;
    if (!byPost && origin.length + address.length <= MAX_ADDRESS) return { method: 'GET', path: address, headers };
    return {
      method: 'POST',
      path,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(params),
    };
  }

  async function decodeResponse({
    status,
    headers: responseHeaders,
    body,
  }: HttpResponse): Promise<Pick<ServiceResponse, 'raw' | 'gzip'>> {
    const encoding = textOf(responseHeaders['content-encoding']) ?? '';
    if (!isSuccess(status)) {
      const prefix = decodePrefix(body.subarray(0, MAX_ERROR_BYTES), encoding, MAX_ERROR_BYTES);
      return { raw: redact.body(await prefix.catch(() => Buffer.alloc(0))), gzip: undefined };
    }
    const { decoded, isPlainGzip } = await decodeBody(body, encoding, maxBytes);
    const raw = redact.body(decoded);
    return { raw, gzip: isPlainGzip && raw === decoded ? body : undefined };
  }

  /**
   * Sends one request, by POST if the client or `byPost` says so. @throws ServiceError with `sent` and `ms`, also if the signal aborts it: a request that was sent
   * counts against the quota.
   */
  async function fetch(
    endpoint: EndpointName,
    params: Readonly<Record<string, string>>,
    signal?: AbortSignal,
    byPost = false,
  ): Promise<ServiceResponse> {
    if (signal?.aborted) throw new TransientError(`${endpoint}: the request was aborted`, { sent: false });
    const at = clock.now();
    let response: HttpResponse;
    let decoded: Pick<ServiceResponse, 'raw' | 'gzip'>;
    try {
      response = await sendRequest(pool, {
        request: buildRequest(endpoint, params, byPost || method === 'POST'),
        timeoutMs,
        errorBodyBytes: MAX_ERROR_BYTES,
        signal,
      });
      decoded = await decodeResponse(response);
    } catch (error) {
      throw createNetworkError(error, { ...limits, endpoint, ms: Math.max(0, clock.now() - at) });
    }
    const { status } = response;
    const { raw, gzip } = decoded;
    const ms = Math.max(0, clock.now() - at);
    const storedHeaders = formatHeaders(response.headers, redact.text);
    if (!isSuccess(status)) {
      const body = redact.text(raw.toString('utf8'));
      const redactedHeaders = redactHeaders(response.headers);
      const now = clock.now();
      throw createStatusError({ endpoint, status, headers: redactedHeaders, storedHeaders, body, ms, now });
    }
    const contentType = textOf(response.headers['content-type']);
    const bytes = response.body.length;
    return { endpoint, status, contentType, headers: storedHeaders, raw, gzip, ms, at, bytes };
  }

  /** Parses the JSON of a response. @throws TransientError if it has no object `data`, ContractError if it is nested too deeply */
  const parse = (response: ServiceResponse): unknown => parseDataResponse({ ...response, redact: redact.text });

  const redactHeaders = (rawHeaders: ResponseHeaders): Record<string, string | undefined> =>
    Object.fromEntries(Object.entries(rawHeaders).map(([name, value]) => [name, redact.text(textOf(value) ?? '')]));

  /** Fetches token-info, which costs no quota. */
  async function tokenInfo(signal?: AbortSignal): Promise<TokenInfo> {
    const response = await fetch('token-info', {}, signal);
    const { at, ms, status } = response;
    const data = readData('token-info', parse(response));
    if (!observedTokenUsage.Check(data)) {
      throw new TransientError('token-info: app_limit and remaining should be whole numbers', { status, ms });
    }
    return { limit: data.app_limit, remaining: data.remaining, resetAt: parseTimestamp(data.reset_at), at };
  }

  /** Closes all connections; requests in flight fail. */
  const close = (): Promise<void> => pool.destroy();

  return { fetch, parse, tokenInfo, close, [Symbol.asyncDispose]: close };
}

const textOf = (value: ResponseHeaders[string]): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;
