import type { ResponseHeaders } from './exchange.ts';

/** Fields of the connection, which say nothing of the response (RFC 9110, 7.6.1). */
const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Names of fields that may contain a secret, or the address of this machine. All other fields are kept (decision 45). */
const PRIVATE_NAME =
  /auth|bearer|cookie|credential|token|secret|session|passw|signature|[cx]srf|jwt|(?:api|access|private)[-_]?key|forwarded|remote[-_]addr|(?:^|[-_])ip$/;

/** The maximum length of the JSON, in characters. */
const MAX_LENGTH = 4096;

/** The name of the number of lines that are left out. No field can have this name (RFC 9110, 5.1). */
const OMITTED = '(omitted)';
/** Room for that number. */
const OMITTED_LENGTH = 32;

type Field = readonly [name: string, value: string | readonly string[]];

/**
 * Returns response headers as JSON, as they are stored with the body: the value of each field, or the values of a repeated
 * one. It lacks fields of the connection. Also left out, but counted as `(omitted)`, are fields whose name suggests a secret,
 * and the longest fields beyond 4,096 characters.
 *
 * @param headers the names are in lower case.
 * @param redact removes the API key from a text.
 */
export function formatHeaders(headers: ResponseHeaders, redact: (text: string) => string): string {
  const fields: Field[] = [];
  let omitted = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || CONNECTION_FIELDS.has(name)) continue;
    if (PRIVATE_NAME.test(name)) omitted += countLines(value);
    else fields.push([name, value]);
  }
  const json = toJson(fields, omitted);
  // A field that contains the key also does so in JSON.
  if (json.length <= MAX_LENGTH && redact(json) === json) return json;
  const { kept, dropped } = dropLongest(fields.map((field) => redactField(field, redact)));
  return toJson(kept, omitted + dropped);
}

const toJson = (fields: readonly Field[], omitted: number): string =>
  JSON.stringify(Object.fromEntries(omitted === 0 ? fields : [...fields, [OMITTED, omitted]]));

const redactField = ([name, value]: Field, redact: (text: string) => string): Field => [
  redact(name),
  typeof value === 'string' ? redact(value) : value.map(redact),
];

/** Returns the fields that fit, shortest first, and the number of lines of the others. */
function dropLongest(fields: readonly Field[]): { readonly kept: readonly Field[]; readonly dropped: number } {
  const measured = fields.map((field) => ({ field, length: JSON.stringify(field).length }));
  const kept: Field[] = [];
  let length = OMITTED_LENGTH;
  let dropped = 0;
  for (const one of measured.toSorted((a, b) => a.length - b.length)) {
    length += one.length;
    if (length <= MAX_LENGTH) kept.push(one.field);
    else dropped += countLines(one.field[1]);
  }
  return { kept, dropped };
}

const countLines = (value: Field[1]): number => (typeof value === 'string' ? 1 : value.length);
