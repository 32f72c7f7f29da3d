import { isAscii, isUtf8, transcode } from 'node:buffer';

export const MAX_DEPTH = 64;
/** The depth of shorter texts is checked after JSON.parse, which costs at most some milliseconds. */
const SHORT_TEXT_LENGTH = 128 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = { bracket: 0x5b, brace: 0x7b };
const CLOSE = { bracket: 0x5d, brace: 0x7d };

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

/**
 * Returns whether JSON text is nested deeper than `maxDepth`, in one scan that skips strings. It protects JSON.parse,
 * which takes seconds for millions of levels in a long text.
 */
export function isTextDeeperThan(text: string, maxDepth: number): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      i = stringEnd(text, i);
      if (i === -1) return false; // unterminated string: JSON.parse rejects it
    } else if (code === OPEN.brace || code === OPEN.bracket) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (code === CLOSE.brace || code === CLOSE.bracket) depth -= 1;
  }
  return false;
}

/** The same for a parsed value, at a tenth of the cost. */
export function isValueDeeperThan(value: unknown, maxDepth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (maxDepth <= 0) return true;
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) if (isValueDeeperThan(item, maxDepth - 1)) return true;
  } else {
    for (const key in value) if (isValueDeeperThan((value as JsonObject)[key], maxDepth - 1)) return true;
  }
  return false;
}

/** Returns the index of the quote that ends the string at `from`; -1 if there is none. */
function stringEnd(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (end !== -1 && text.charCodeAt(end - 1) === BACKSLASH) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) break; // an even number of backslashes does not escape the quote
    end = text.indexOf('"', end + 1);
  }
  return end;
}

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the value at a dotted path of keys; undefined if there is none. */
export function readPath(data: unknown, path: string): unknown {
  let value: unknown = data;
  for (const key of path.split('.')) value = isObject(value) ? value[key] : undefined;
  return value;
}
