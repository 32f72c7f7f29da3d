import { isObject, type JsonObject } from './read-json.ts';

/**
 * Hints that a list goes on, outside of the places where a cursor can occur (`read-cursor.ts`): a key of the envelope, the
 * timeline or an instruction, or a header, with a word such as "next" or "more", and a value that is not empty.
 */
export interface Hint {
  /** The path of keys without indexes, or `header <name>`: equal for all pages of an endpoint. */
  readonly name: string;
  /** What to send as `cursor`; null if the value is no text. */
  readonly value: string | null;
}

const WORDS = /^(next|more|cursors?|after|tokens?|continue|continuation)$/;
/** The same words in keys without separators, such as `nextcursor` or `hasmore`. */
const JOINED_WORDS = /^(has|is)?(next|more)|cursors?$|(next|page|search|start|end)(after|token)$/;
/** Keys about earlier pages, the kind of a cursor, or when to ask again. */
const OTHER_WORDS = /^(prev|previous|top|before|start|first|newer|refresh|retry|type)$/;

const wordsOf = (key: string): string[] =>
  key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);

function isHintKey(key: string): boolean {
  const words = wordsOf(key);
  if (words.some((word) => OTHER_WORDS.test(word))) return false;
  return words.some((word) => WORDS.test(word)) || JOINED_WORDS.test(words.join(''));
}

/** Values that say that nothing follows. */
const EMPTY_VALUES: readonly unknown[] = [undefined, null, false, 0, -1, '0', '-1', '', 'false'];
const isEmpty = (value: unknown): boolean => EMPTY_VALUES.includes(value);

/** Returns the hints of a value under a key, which may hold them at any depth. @param path names it in the hint */
export function findHints(path: string, key: string, value: unknown, isInHint = false): readonly Hint[] {
  const isHint = isInHint || isHintKey(key);
  if (Array.isArray(value)) {
    if (isHint && !value.some(isObject)) return value.every(isEmpty) ? [] : [toHint(path, value)];
    return value.flatMap((element) => findHints(path, key, element, isInHint));
  }
  if (isObject(value)) return findInObject(path, value, isHint);
  return isHint && !isEmpty(value) ? [toHint(path, [value])] : [];
}

function findInObject(path: string, object: JsonObject, isHint: boolean): readonly Hint[] {
  if (['Top', 'top', 'TOP'].includes((object['cursorType'] ?? object['type']) as string)) return [];
  // An object under such a key is one hint: its text is the cursor.
  const fields = Object.entries(object).filter(([key]) => !wordsOf(key).some((word) => OTHER_WORDS.test(word)));
  if (!isHint) return fields.flatMap(([key, value]) => findHints(`${path}.${key}`, key, value));
  const values = fields.filter(([key]) => !/^(__typename|entryType|cursorType)$/.test(key)).map(([, value]) => value);
  if (values.length > 0 && values.every(isEmpty)) return [];
  return [toHint(path, values)];
}

function toHint(name: string, values: readonly unknown[]): Hint {
  const text = values.find((value) => typeof value === 'string' && !isEmpty(value));
  return { name, value: (text as string | undefined) ?? null };
}

/** What the name of a header with a hint contains. */
const HEADER_WORDS = /next|more|cursor|after|token|continu|link/i;

/** Returns the hints of response headers, as JSON by `formatHeaders`: also a `Link` with rel=next (RFC 8288). */
export function findHeaderHints(headers: string): readonly Hint[] {
  // Most responses have none, and their headers need no parsing.
  if (!HEADER_WORDS.test(headers)) return [];
  const fields = Object.entries(JSON.parse(headers) as JsonObject);
  return fields.flatMap(([name, sent]) => {
    const values = (Array.isArray(sent) ? (sent as unknown[]) : [sent]).map(String);
    if (name === 'link') return values.flatMap(findLinkHints);
    return values.flatMap((value) => findHints(`header ${name}`, name, value === 'true' ? true : value));
  });
}

function findLinkHints(link: string): readonly Hint[] {
  return link.split(/,(?=\s*<)/).flatMap((one) => {
    const [, address = '', parameters = ''] = /^\s*<([^>]*)>(.*)$/.exec(one) ?? [];
    if (!/;\s*rel\s*=\s*"?([^";]*\s)?next[\s";]?/i.test(`${parameters};`)) return [];
    const { searchParams } = new URL(URL.canParse(address) ? address : 'http://none/', 'http://none/');
    const query = new URLSearchParams(address.split('?')[1] ?? '');
    return [{ name: 'header link', value: searchParams.get('cursor') ?? query.get('cursor') }];
  });
}
