import { STATUS_CODES } from 'node:http';
import {
  ContractError,
  type ServiceErrorOptions,
  TransientError,
  BadRequestError,
  ForbiddenError,
  NotFoundError,
  QuotaExceededError,
  type ServiceError,
  UnauthorizedError,
} from '#base/errors.ts';
import { toSingleLine, truncate } from '#base/text.ts';
import { formatBytes } from '#base/units.ts';
import { type EndpointName, endpointTable } from '#service/contract/endpoints.ts';
import { decodeText, JsonBodyError, MAX_DEPTH, parseJsonBody, isObject } from '#service/contract/json-body.ts';

export interface SuccessResponse {
  readonly endpoint: EndpointName;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly raw: Buffer;
  readonly ms: number;
  readonly redact: (text: string) => string;
}

const PROXY_HINT = 'Something between here and the service may have answered. Is TRAWL_API_URL its base address?';

/**
 * Parses a success response (spec, General rules, 4).
 * @throws TransientError if it is no JSON object with an object `data`: the service or a proxy failed. ContractError if it is
 * nested too deeply
 */
export function parseDataResponse(response: SuccessResponse): unknown {
  const body = parseResponse(response);
  if (isObject(body) && isObject(body['data'])) return body;
  const { endpoint, status, raw, ms, redact } = response;
  const text = redact(raw.toString('utf8'));
  throw new TransientError(
    `${endpoint}: the service sent ${status} without an object "data": ${truncate(toSingleLine(text), 60)}`,
    { status, ms, body: truncate(text, MAX_ERROR_BODY), hint: PROXY_HINT },
  );
}

/**
 * Parses the JSON of a success response.
 * @throws TransientError if it is not JSON (a proxy may have answered), ContractError if it is nested too deeply
 */
export function parseResponse(response: SuccessResponse): unknown {
  try {
    return parseJsonBody(response.raw);
  } catch (error) {
    throw error instanceof JsonBodyError ? createBodyError(error.problem, response) : error;
  }
}

function createBodyError(problem: JsonBodyError['problem'], response: SuccessResponse): Error {
  const { endpoint, status, raw, ms, redact } = response;
  // Redact before truncating, so that no part of the key remains.
  const redactedText = redact(raw.toString('utf8'));
  const options: ServiceErrorOptions = { status, ms, sent: true, body: truncate(redactedText, MAX_ERROR_BODY) };
  switch (problem) {
    case 'empty':
      return new TransientError(`${endpoint}: the service sent ${status} with an empty body`, options);
    case 'not UTF-8':
      return new TransientError(`${endpoint}: the response is not valid UTF-8`, options);
    case 'too deep':
      return new ContractError(`${endpoint}: the response is nested deeper than ${MAX_DEPTH} levels`, options);
    case 'not JSON':
      return createSyntaxError(truncate(toSingleLine(redactedText), 60), options, response);
  }
}

function createSyntaxError(beginning: string, options: ServiceErrorOptions, response: SuccessResponse): TransientError {
  const { endpoint, raw, redact, contentType } = response;
  if (/^\s*[[{]/.test(decodeText(raw))) {
    const size = `${formatBytes(raw.length)}`;
    return new TransientError(
      `${endpoint}: the response is truncated or invalid JSON (${size}): ${beginning}`,
      options,
    );
  }
  const type = redact(toSingleLine(contentType?.split(';')[0] ?? '')) || 'data';
  const what = /json/i.test(type) ? 'data that is' : `${type},`;
  return new TransientError(`${endpoint}: the service sent ${what} not JSON: ${beginning}`, {
    ...options,
    isForeign: true,
    hint: PROXY_HINT,
  });
}

/** Maximum number of characters of an error response that an error keeps. */
const MAX_ERROR_BODY = 2048;

/** An error response, with the API key removed. */
export interface ErrorResponse {
  readonly endpoint: EndpointName;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The same as they are stored: see `formatHeaders`. */
  readonly storedHeaders: string;
  readonly body: string;
  readonly ms: number;
  readonly now: number;
}

const ADDRESS_HINT = 'Is TRAWL_API_URL the base address of the service?';

type ErrorFactory = (response: ErrorResponse, options: ServiceErrorOptions) => ServiceError;

/** Temporary: the same request may succeed later (RFC 9110 15.5.9, RFC 8470 5.2). */
const createTemporaryError: ErrorFactory = (r, options) =>
  new TransientError(`${describeStatus(r)}${quoteReason(r)}`, options);

const ERRORS_BY_STATUS: Readonly<Record<number, ErrorFactory>> = {
  400: (r, options) => new BadRequestError(`${describeStatus(r)}${quoteReason(r)}`, options),
  401: (_, options) =>
    new UnauthorizedError('the service refused the API key (401)', { ...options, hint: 'Check TRAWL_API_KEY.' }),
  403: (r, options) => new ForbiddenError(`${describeStatus(r)}${quoteReason(r)}`, options),
  404: (r, options) => {
    const { notFound } = endpointTable[r.endpoint];
    if (notFound) return new NotFoundError(`${describeStatus(r)}: ${lowerFirst(notFound)}`, options);
    return new NotFoundError(`${describeStatus(r)}${quoteReason(r)}`, { ...options, hint: ADDRESS_HINT });
  },
  408: createTemporaryError,
  425: createTemporaryError,
  429: (_, options) => new QuotaExceededError('the service says that the quota is used up (429)', options),
};

const ERRORS_BY_CLASS: Readonly<Record<number, ErrorFactory>> = {
  3: (r, options) => {
    const location = r.headers['location'];
    return new ContractError(
      `${describeStatus(r)}, a redirect${location ? ` to ${truncate(toSingleLine(location), 200)}` : ''}`,
      {
        ...options,
        hint: 'Redirects are not followed: the API key must not go elsewhere. Set TRAWL_API_URL to where the service is.',
      },
    );
  },
  4: (r, options) => new ContractError(`${describeStatus(r)}${quoteReason(r)}`, options),
  5: createTemporaryError,
};

/** Returns the error for an error response. Pure. */
export function createStatusError(response: ErrorResponse): ServiceError {
  const { status, ms, storedHeaders } = response;
  const retryAfterMs = parseRetryAfter(response.headers['retry-after'], response.headers['date'], response.now);
  const body = truncate(response.body, MAX_ERROR_BODY);
  const options = { status, ms, sent: true, body, headers: storedHeaders, retryAfterMs };
  const createError = ERRORS_BY_STATUS[status] ?? ERRORS_BY_CLASS[Math.floor(status / 100)];
  return (
    createError?.(response, options) ?? new ContractError(describeStatus(response), { ...options, hint: ADDRESS_HINT })
  );
}

/**
 * Returns the milliseconds of a Retry-After header, which has seconds or an HTTP date. A date is compared with the
 * service's Date header if there is one, so a wrong local clock does not matter.
 */
export function parseRetryAfter(value: string | undefined, date: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d{1,9}(\.\d+)?\s*$/.test(value)) return Math.round(Number(value) * 1000);
  const at = Date.parse(value);
  if (Number.isNaN(at) || !/[a-z]/i.test(value)) return undefined;
  const serverNow = date === undefined ? Number.NaN : Date.parse(date);
  return Math.max(0, at - (Number.isNaN(serverNow) ? now : serverNow));
}

function describeStatus({ endpoint, status }: ErrorResponse): string {
  const reasonPhrase = STATUS_CODES[status];
  return `${endpoint} answered ${status}${reasonPhrase ? ` ${reasonPhrase}` : ''}`;
}

/** Returns the reason in a JSON error body as `: text`; empty for any other body. */
function quoteReason({ body }: ErrorResponse): string {
  try {
    const { detail, message, error, title } = JSON.parse(body) as Record<string, unknown>;
    const text = [detail, message, error, title].find(
      (value): value is string => typeof value === 'string' && value.trim() !== '',
    );
    return text === undefined ? '' : `: ${truncate(toSingleLine(text), 200)}`;
  } catch {
    return '';
  }
}

const lowerFirst = (sentence: string): string => sentence[0]!.toLowerCase() + sentence.slice(1).replace(/\.$/, '');
