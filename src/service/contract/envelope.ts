import type { TSchema } from 'typebox';
import { findHeaderHints, findHints, type Hint } from './continuation-hints.ts';
import { type EndpointName, endpointTable } from './endpoints.ts';
import { findIncompleteSign } from './incomplete-responses.ts';
import type { Drift } from './read-cursor.ts';
import { isObject, type JsonObject, readPath } from './read-json.ts';

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
