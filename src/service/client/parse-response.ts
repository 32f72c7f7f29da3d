import { ContractError, type ServiceErrorOptions, TransientError } from '../../base/errors.ts';
import { toSingleLine, truncate } from '../../base/text.ts';
import { formatBytes } from '../../base/units.ts';
import type { EndpointName } from '../contract/endpoints.ts';
import { decodeText, JsonBodyError, MAX_DEPTH, parseJsonBody } from '../contract/json-body.ts';
import { isObject } from '../contract/read-json.ts';
import { MAX_ERROR_BODY } from './status-errors.ts';

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
