import { isAscii, isUtf8, transcode } from 'node:buffer';
import type { EndpointName } from '../contract/endpoints.ts';
import { ContractError, type ServiceErrorOptions, TransientError } from '../errors.ts';
import { toSingleLine, truncate } from '../text.ts';
import { isValueDeeperThan, isTextDeeperThan } from './depth.ts';
import { MAX_ERROR_BODY } from './status.ts';

/** A success as it came, decoded. */
export interface SuccessResponse {
  readonly endpoint: EndpointName;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly raw: Buffer;
  readonly ms: number;
  /** Takes the key out of what is quoted. */
  readonly redact: (text: string) => string;
}

const MAX_DEPTH = 64;
/** Texts up to here are measured after JSON.parse: at worst, nesting costs it some milliseconds. */
const SHORT_TEXT_LENGTH = 128 * 1024;
const PROXY_HINT = 'Something between here and the service may have answered. Is TRAWL_API_URL its base address?';

/**
 * The JSON of a success. What is not JSON is not the service's own answer, and is worth another try.
 * @throws TransientError when it is not JSON, ContractError when it is nested too deeply.
 */
export function parseResponse(response: SuccessResponse): unknown {
  const { endpoint, status, raw, ms, redact } = response;
  // All of it, so that nothing of the key is left where it is cut.
  const redactedText = (): string => redact(raw.toString('utf8'));
  const errorOptions = (): ServiceErrorOptions => ({
    status,
    ms,
    sent: true,
    body: truncate(redactedText(), MAX_ERROR_BODY),
  });

  if (raw.length === 0)
    throw new TransientError(`${endpoint}: the service answered ${status} with an empty body`, errorOptions());
  if (!isUtf8(raw)) throw new TransientError(`${endpoint}: the service's answer is not valid UTF-8`, errorOptions());
  const text = textOf(raw);
  const createDepthError = (): ContractError =>
    new ContractError(`${endpoint}: the service's answer is nested deeper than ${MAX_DEPTH} levels`, errorOptions());
  const isShort = text.length <= SHORT_TEXT_LENGTH;
  if (!isShort && isTextDeeperThan(text, MAX_DEPTH)) throw createDepthError();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // JSON.parse quotes the text in its message, and so perhaps the key: its error is no cause to keep.
    const beginning = truncate(toSingleLine(redactedText()), 60);
    if (/^\s*[[{]/.test(text)) {
      throw new TransientError(
        `${endpoint}: the service's answer is cut or broken JSON (${raw.length} bytes): ${beginning}`,
        errorOptions(),
      );
    }
    const type = redact(toSingleLine(response.contentType?.split(';')[0] ?? '')) || 'something';
    const what = /json/i.test(type) ? 'something that is' : `${type},`;
    throw new TransientError(`${endpoint}: the service answered ${what} not JSON: ${beginning}`, {
      ...errorOptions(),
      hint: PROXY_HINT,
    });
  }
  if (isShort && isValueDeeperThan(body, MAX_DEPTH)) throw createDepthError();
  return body;
}

/** The text of valid UTF-8, without a byte order mark. Where `toString('utf8')` is slow, the way over UTF-16 is not. */
function textOf(raw: Buffer): string {
  const text = isAscii(raw) ? raw.toString('latin1') : transcode(raw, 'utf8', 'utf16le').toString('utf16le');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
