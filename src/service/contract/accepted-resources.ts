import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { isObject, type JsonObject } from './json-body.ts';
import { DetailedAuthor, Group, TokenUsage, Tweet, UserProfile, UserReference, UserSummary } from './resources.ts';

/**
 * The resources as a client has to accept them. The spec does not say which fields can be absent or null. So every
 * field except the identity can be either, a field of another type is dropped, and unknown fields are allowed and
 * reported as drift.
 */

/** An inspected item: every documented field has its type, is null or is absent. */
export type ObservedItem<T extends TObject> =
  T extends TObject<infer P> ? { [K in keyof P]?: Static<P[K]> | null } : never;

/** A tweet's author and media are inspected one by one, nested replies as items of the page. */
type ObservedTweet = Omit<ObservedItem<typeof Tweet>, 'author' | 'media' | 'replies'> & {
  author?: unknown;
  media?: unknown[] | null;
};

export interface Inspection<T = object> {
  /** The item with its readable fields; undefined if its identity is unreadable. */
  readonly item: T | undefined;
  /** Where and why the item is rejected; undefined if it is accepted. */
  readonly problem: { readonly path: string; readonly reason: string } | undefined;
  /** Fields that were dropped because of a wrong type or form (invariant 6). */
  readonly dropped: readonly { readonly field: string; readonly reason: string }[];
  readonly unknown: readonly string[];
}

export interface Inspector<T = object> {
  /** The type of item and its documented fields. */
  readonly name: string;
  readonly fields: readonly string[];
  inspect(item: unknown): Inspection<T>;
}

/** An identity consists of 1 to 64 letters, digits, `_` and `-`, so it is safe in keys, URLs and logs. */
const IDENTITY = /^[A-Za-z0-9_-]{1,64}$/;
const identity = Type.String({ pattern: IDENTITY.source });
const identityFields = ['rest_id', 'id'];
/** Identifiers are strings; a safe integer is read as its decimal string. */
const idFields = [...identityFields, 'in_reply_to_status_id', 'in_reply_to_user_id'];
/** JSON numbers beyond this range are not exact. */
const safeInteger = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });
const NONE: readonly never[] = [];

/** Makes every field nullable, and accepts both fields of the identity. */
function makeLenient(schema: TObject, overrides: Record<string, TSchema>): Record<string, TSchema> {
  const properties: Record<string, TSchema> = {};
  for (const name of identityFields) properties[name] = Type.Union([identity, Type.Null()]);
  for (const [name, field] of Object.entries(schema.properties)) {
    // The normaliser parses timestamps; here they only have to be text.
    const text = 'pattern' in field ? Type.String() : field;
    const type = identityFields.includes(name) ? identity : Type.IsInteger(field) ? safeInteger : text;
    properties[name] = Type.Union([overrides[name] ?? type, Type.Null()]);
  }
  return properties;
}

/**
 * Inspects items of one resource. Only an unreadable identity rejects an item; other unreadable fields are dropped.
 * Validators are compiled at first use. A valid item costs one check.
 */
function createInspector<S extends TObject, T = ObservedItem<S>>(
  name: string,
  schema: S,
  overrides: Record<string, TSchema> = {},
): Inspector<T> {
  const fields = Object.keys(schema.properties);
  const documented = new Set(fields);
  const properties = makeLenient(schema, overrides);
  const fieldValidators = new Map<string, ReturnType<typeof Compile>>();
  let checkItem: ReturnType<typeof Compile> | undefined;

  function isValid(field: string, value: unknown): boolean {
    let validator = fieldValidators.get(field);
    if (!validator) fieldValidators.set(field, (validator = Compile(properties[field]!)));
    return validator.Check(value);
  }

  /** Whether `id` contradicts a number in `rest_id`: it has the documented type and another value. */
  const isContradicted = (restId: unknown, id: unknown): boolean =>
    typeof id === 'string' && id !== restId && isValid('id', id);

  /** Splits an item into its readable fields and the dropped ones. */
  function readFields(item: JsonObject): { read: JsonObject; dropped: Inspection['dropped'] } {
    const read: JsonObject = {};
    const dropped: { field: string; reason: string }[] = [];
    for (const [field, sent] of Object.entries(item)) {
      if (!Object.hasOwn(properties, field)) continue;
      const value = idFields.includes(field) && Number.isSafeInteger(sent) ? String(sent) : sent;
      if (field === 'rest_id' && value !== sent && isContradicted(value, item['id']))
        dropped.push({ field, reason: 'is a number other than id' });
      else if (isValid(field, value)) read[field] = value;
      else dropped.push({ field, reason: reasonOf(sent) });
    }
    return { read, dropped };
  }

  return {
    name,
    fields,
    inspect(item) {
      if (!isObject(item)) {
        const problem = { path: '', reason: `must be an object, is ${describeType(item)}` };
        return { item: undefined, problem, dropped: NONE, unknown: NONE };
      }
      // A list for every item would cost a tenth of the inspection.
      let unknown: readonly string[] = NONE;
      for (const key of Object.keys(item)) if (!documented.has(key)) unknown = [...unknown, key];
      checkItem ??= Compile(Type.Partial(Type.Object(properties)));
      if (checkItem.Check(item) && readIdentity(item) != null)
        return { item: item as T, problem: undefined, dropped: NONE, unknown };
      const { read, dropped } = readFields(item);
      if (readIdentity(read) != null) return { item: read as T, problem: undefined, dropped, unknown };
      const unreadable = identityFields.find((field) => item[field] != null);
      const problem =
        unreadable === undefined
          ? { path: '/id', reason: 'has no identity: neither id nor rest_id' }
          : { path: `/${unreadable}`, reason: reasonOf(item[unreadable]) };
      return { item: undefined, problem, dropped: NONE, unknown };
    },
  };
}

/** Returns the identity of an item: `rest_id`, else `id`. Each inspected item has one. */
export const readIdentity = (item: { readonly rest_id?: unknown; readonly id?: unknown }): string =>
  (item.rest_id ?? item.id) as string;

const reasonOf = (value: unknown): string => `has the wrong type or form: ${describeType(value)}`;

export function describeType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

export const profileInspector = createInspector('profile', UserProfile);
export const summaryInspector = createInspector('summary', UserSummary);
export const referenceInspector = createInspector('reference', UserReference);
export const authorInspector = createInspector('author', DetailedAuthor);
export const groupInspector = createInspector('group', Group);
export const tweetInspector = createInspector<typeof Tweet, ObservedTweet>('tweet', Tweet, {
  author: Type.Unknown(),
  media: Type.Array(Type.Unknown()),
  replies: Type.Unknown(),
});

/** Of token-info only the fields that the quota needs are checked. */
export const observedTokenUsage = Compile(
  Type.Object({
    app_limit: TokenUsage.properties.app_limit,
    remaining: TokenUsage.properties.remaining,
    reset_at: Type.Optional(Type.Unknown()),
  }),
);
