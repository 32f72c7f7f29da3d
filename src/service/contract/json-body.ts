import { isAscii, isUtf8, transcode } from 'node:buffer';
import { isTextDeeperThan, isValueDeeperThan } from './json-depth.ts';

export const MAX_DEPTH = 64;
/** The depth of shorter texts is checked after JSON.parse, which costs at most some milliseconds. */
const SHORT_TEXT_LENGTH = 128 * 1024;

/** The bytes of a response are not a JSON document that trawl reads. */
export class JsonBodyError extends Error {
  override readonly name = 'JsonBodyError';
  readonly problem: 'empty' | 'not UTF-8' | 'not JSON' | 'too deep';

  constructor(problem: JsonBodyError['problem']) {
    super(`the body is ${problem}`);
    this.problem = problem;
  }
}

/** Parses the JSON of a response body; a byte order mark is ignored. @throws JsonBodyError */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw new JsonBodyError('empty');
  if (!isUtf8(bytes)) throw new JsonBodyError('not UTF-8');
  const text = decodeText(bytes);
  const isShort = text.length <= SHORT_TEXT_LENGTH;
  if (!isShort && isTextDeeperThan(text, MAX_DEPTH)) throw new JsonBodyError('too deep');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The message of JSON.parse quotes the text, which may contain the key: it is not kept as the cause.
    throw new JsonBodyError('not JSON');
  }
  if (isShort && isValueDeeperThan(value, MAX_DEPTH)) throw new JsonBodyError('too deep');
  return value;
}

/** Decodes valid UTF-8 and drops a byte order mark. For long text, going through UTF-16 is faster than `toString('utf8')`. */
export function decodeText(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const text = isAscii(buffer) ? buffer.toString('latin1') : transcode(buffer, 'utf8', 'utf16le').toString('utf16le');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
