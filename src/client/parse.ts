import { isAscii, isUtf8, transcode } from 'node:buffer';
import type { EndpointName } from '../contract/endpoints.ts';
import { ContractError, type ServiceErrorOptions, TransientError } from '../errors.ts';
import { toSingleLine, truncate } from '../text.ts';
import { isValueDeeperThan, isTextDeeperThan } from './depth.ts';
import { MAX_ERROR_BODY } from './status.ts';

export interface SuccessResponse {
  readonly endpoint: EndpointName;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly raw: Buffer;
  readonly ms: number;
  readonly redact: (text: string) => string;
}

const MAX_DEPTH = 64;
/** The depth of shorter texts is checked after JSON.parse, which costs at most some milliseconds. */
const SHORT_TEXT_LENGTH = 128 * 1024;
const PROXY_HINT = 'Something between here and the service may have answered. Is TRAWL_API_URL its base address?';

/**
 * Parses the JSON of a success response.
 * @throws TransientError if it is not JSON (a proxy may have answered), ContractError if it is nested too deeply
 */
export function parseResponse(response: SuccessResponse): unknown {
  const { endpoint, status, raw, ms, redact } = response;
  // Redact before truncating, so that no part of the key remains.
  const redactedText = (): string => redact(raw.toString('utf8'));
  const errorOptions = (): ServiceErrorOptions => ({
    status,
    ms,
    sent: true,
    body: truncate(redactedText(), MAX_ERROR_BODY),
  });

  if (raw.length === 0)
    throw new TransientError(`${endpoint}: the service sent ${status} with an empty body`, errorOptions());
  if (!isUtf8(raw)) throw new TransientError(`${endpoint}: the response is not valid UTF-8`, errorOptions());
  const text = textOf(raw);
  const createDepthError = (): ContractError =>
    new ContractError(`${endpoint}: the response is nested deeper than ${MAX_DEPTH} levels`, errorOptions());
  const isShort = text.length <= SHORT_TEXT_LENGTH;
  if (!isShort && isTextDeeperThan(text, MAX_DEPTH)) throw createDepthError();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // The message of JSON.parse quotes the text, which may contain the key: do not keep it as the cause.
    const beginning = truncate(toSingleLine(redactedText()), 60);
    if (/^\s*[[{]/.test(text)) {
      throw new TransientError(
        `${endpoint}: the response is truncated or invalid JSON (${raw.length} bytes): ${beginning}`,
        errorOptions(),
      );
    }
    const type = redact(toSingleLine(response.contentType?.split(';')[0] ?? '')) || 'data';
    const what = /json/i.test(type) ? 'data that is' : `${type},`;
    throw new TransientError(`${endpoint}: the service sent ${what} not JSON: ${beginning}`, {
      ...errorOptions(),
      hint: PROXY_HINT,
    });
  }
  if (isShort && isValueDeeperThan(body, MAX_DEPTH)) throw createDepthError();
  return body;
}

/**
 * Decodes valid UTF-8 and drops a byte order mark. For long text, going through UTF-16 is faster than
 * `toString('utf8')`.
 */
function textOf(raw: Buffer): string {
  const text = isAscii(raw) ? raw.toString('latin1') : transcode(raw, 'utf8', 'utf16le').toString('utf16le');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
