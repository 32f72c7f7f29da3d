import type { TSchema } from 'typebox';
import { type EndpointName, endpointTable } from './endpoints.ts';
import { findIncompleteSign } from './incomplete-responses.ts';
import { isObject, type JsonObject, readPath } from './json-body.ts';
import type { Drift } from './read-cursor.ts';

/** What surrounds the items of a response: its status, headers, envelope, timeline and instructions. */
export interface Envelope {
  /** Keys that the specification does not have. */
  readonly drift: readonly Drift[];
  readonly hints: readonly Hint[];
  /** Why the response is incomplete; undefined if nothing says so. */
  readonly incomplete: string | undefined;
}

/** An object of the envelope, with the keys that it has by the specification. */
interface Part {
  readonly name: string;
  readonly path: string;
  readonly known: readonly string[];
}

/** Keys beside the list that are read although the specification does not have them there: `read-cursor.ts`, `wire-page.ts`. */
const READ_KEYS = { holder: ['cursor'], group: ['cursor', 'entry'] } as const;
/** Keys of items, and of what does not describe the list. */
const ITEM_KEYS = /^(tweets?|users?|authors?|items?|media|errors)$/;

/** Reads the envelope of a response with an object `data`. */
export function readEnvelope(
  endpoint: EndpointName,
  body: JsonObject,
  { status, headers }: { readonly status: number; readonly headers: string },
): Envelope {
  const objects = findObjects(PARTS.get(endpoint)!, body);
  const unknown: { name: string; key: string; value: unknown; isInstruction: boolean }[] = [];
  for (const { name, value, known } of objects)
    for (const key of Object.keys(value))
      if (!known.includes(key))
        unknown.push({ name: `${name}.${key}`, key, value: value[key], isInstruction: name === INSTRUCTION });
  // The rest evaluates unknown keys and other statuses, which most responses do not have.
  if (unknown.length === 0 && status === 200)
    return { drift: [], hints: findHeaderHints(headers), incomplete: undefined };
  const { layout } = endpointTable[endpoint];
  const hasStrayMembers = unknown.some(
    ({ key, value, isInstruction }) =>
      isInstruction && layout !== undefined && hasMember({ [key]: value }, layout.item),
  );
  const sign = findIncompleteSign(status, [body, ...objects.map(({ value }) => value)]);
  return {
    drift: [
      ...unknown.map(({ name, value }) => ({ field: `${name} (unknown key)`, sample: value })),
      ...(status === 200 ? [] : [{ field: `status ${status}`, sample: status }]),
    ],
    hints: [
      ...unknown.flatMap(({ name, key, value }) => findHints(name, key, withoutItems(key, value))),
      ...findHeaderHints(headers),
    ],
    incomplete: sign ?? (hasStrayMembers ? 'members outside of the list' : undefined),
  };
}

const INSTRUCTION = 'instruction';

/** Returns the objects around the items of a response, outermost first. An item is none of them. */
function findObjects(parts: readonly Part[], body: JsonObject) {
  const found: (Pick<Part, 'name' | 'known'> & { readonly value: JsonObject })[] = [];
  for (const { name, path, known } of parts) {
    const value = path === '' ? body : readPath(body, path);
    const values: readonly unknown[] = name === INSTRUCTION && Array.isArray(value) ? value : [value];
    for (const object of values) if (isObject(object)) found.push({ name, known, value: object });
  }
  return found;
}

function listParts(endpoint: EndpointName): Part[] {
  const { data: schema, layout } = endpointTable[endpoint];
  const parts: Part[] = [{ name: 'body', path: '', known: ['data'] }];
  if (!layout) return parts;
  parts.push({ name: 'data', path: 'data', known: [...keysOf(schema), ...READ_KEYS.holder] });
  if (endpoint === 'search')
    parts.push({
      name: 'search_metadata',
      path: 'data.search_metadata',
      known: keysOf(propertyOf(schema, 'search_metadata')),
    });
  let [inner, path] = [schema as TSchema | undefined, ''];
  for (const key of layout.timeline.split('.')) {
    inner = propertyOf(inner, key);
    path = path === '' ? key : `${path}.${key}`;
    if (path === layout.owner) continue;
    const read = layout.flat && path === layout.timeline ? READ_KEYS.group : READ_KEYS.holder;
    parts.push({ name: path, path: `data.${path}`, known: [...keysOf(inner), ...read] });
  }
  if (layout.flat) return parts;
  const instruction = (propertyOf(inner, 'instructions') as { items?: TSchema } | undefined)?.items;
  const known = [...keysOf(instruction), ...READ_KEYS.group];
  parts.push({ name: INSTRUCTION, path: `data.${layout.timeline}.instructions`, known });
  return parts;
}

const propertiesOf = (schema: TSchema | undefined): Readonly<Record<string, TSchema>> =>
  (schema as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {};
const keysOf = (schema: TSchema | undefined): string[] => Object.keys(propertiesOf(schema));
const propertyOf = (schema: TSchema | undefined, key: string): TSchema | undefined => propertiesOf(schema)[key];

const PARTS = new Map((Object.keys(endpointTable) as EndpointName[]).map((name) => [name, listParts(name)]));

/** Whether a value holds an item with an identity, at any depth. */
function hasMember(value: unknown, item: string): boolean {
  if (Array.isArray(value)) return value.some((element) => hasMember(element, item));
  if (!isObject(value)) return false;
  return Object.entries(value).some(
    ([key, inner]) => (key.startsWith(item) && hasIdentity(inner)) || hasMember(inner, item),
  );
}

const hasIdentity = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(hasIdentity)
    : isObject(value) && (value['id'] !== undefined || value['rest_id'] !== undefined || hasIdentity(value['result']));

/** A value without items: what they contain says nothing of the list. */
function withoutItems(key: string, value: unknown): unknown {
  if (ITEM_KEYS.test(key)) return undefined;
  if (Array.isArray(value)) return value.map((element) => (isObject(element) ? withoutItems('', element) : element));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutItems(name, inner)]));
}

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
function findHints(path: string, key: string, value: unknown, isInHint = false): readonly Hint[] {
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
function findHeaderHints(headers: string): readonly Hint[] {
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
