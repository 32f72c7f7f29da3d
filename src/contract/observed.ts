import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { isObject, type JsonObject } from './json.ts';
import {
  DetailedAuthor,
  Group,
  type SizedMedia,
  TokenUsage,
  Tweet,
  UserProfile,
  UserReference,
  UserSummary,
} from './resources.ts';

/**
 * The resources as a client has to accept them. The spec does not say which fields can be absent or null. So every
 * field except the identity can be either, a field of another type is dropped, and unknown fields are allowed and
 * reported as drift.
 */

type Lenient<T extends TProperties> = { [K in keyof T]?: Static<T[K]> | null };
/** An inspected item: every documented field has its type, is null or is absent. */
export type ObservedItem<T extends TObject> = T extends TObject<infer P> ? Lenient<P> : never;

export type ObservedProfile = ObservedItem<typeof UserProfile>;
export type ObservedSummary = ObservedItem<typeof UserSummary>;
export type ObservedReference = ObservedItem<typeof UserReference>;
export type ObservedAuthor = ObservedItem<typeof DetailedAuthor>;
export type ObservedGroup = ObservedItem<typeof Group>;
export type ObservedMedia = ObservedItem<typeof SizedMedia>;
/** A tweet's author and media are inspected one by one, nested replies as items of the page. */
export type ObservedTweet = Omit<ObservedItem<typeof Tweet>, 'author' | 'media' | 'replies'> & {
  author?: unknown;
  media?: unknown[] | null;
};

export interface Inspection {
  /** The item with its readable fields; undefined if its identity is unreadable. */
  readonly item: object | undefined;
  /** Where and why the item is rejected; undefined if it is accepted. */
  readonly problem: { readonly path: string; readonly reason: string } | undefined;
  /** Fields that were dropped because of a wrong type or form (invariant 6). */
  readonly dropped: readonly { readonly field: string; readonly reason: string }[];
  readonly unknown: readonly string[];
}

export interface Inspector {
  /** The type of item and its documented fields. */
  readonly name: string;
  readonly fields: readonly string[];
  inspect(item: unknown): Inspection;
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
function inspector(name: string, schema: TObject, overrides: Record<string, TSchema> = {}): Inspector {
  const fields = Object.keys(schema.properties);
  const documented = new Set(fields);
  const properties = makeLenient(schema, overrides);
  const fieldValidators = new Map<string, ReturnType<typeof Compile>>();
  let checkItem: ReturnType<typeof Compile> | undefined;

  /** Checks one field of an item that is not valid as a whole. */
  function isValid(field: string, value: unknown): boolean {
    let validator = fieldValidators.get(field);
    if (!validator) fieldValidators.set(field, (validator = Compile(properties[field]!)));
    return validator.Check(value);
  }

  /** Splits an item into its readable fields and the dropped ones. */
  function readFields(item: JsonObject): { read: JsonObject; dropped: Inspection['dropped'] } {
    const read: JsonObject = {};
    const dropped: { field: string; reason: string }[] = [];
    for (const [field, sent] of Object.entries(item)) {
      if (!Object.hasOwn(properties, field)) continue;
      const value = idFields.includes(field) && Number.isSafeInteger(sent) ? String(sent) : sent;
      if (isValid(field, value)) read[field] = value;
      else dropped.push({ field, reason: reasonOf(sent) });
    }
    return { read, dropped };
  }

  return {
    name,
    fields,
    inspect(item) {
      checkItem ??= Compile(Type.Object(optional(properties)));
      if (!isObject(item)) {
        const problem = { path: '', reason: `must be an object, is ${describeType(item)}` };
        return { item: undefined, problem, dropped: NONE, unknown: NONE };
      }
      let unknown: string[] | undefined;
      for (const key of Object.keys(item)) if (!documented.has(key)) (unknown ??= []).push(key);
      if (checkItem.Check(item)) {
        const ids = item as Identity;
        if ((ids.rest_id ?? ids.id) != null) return acceptItem(item, unknown ?? NONE);
      }
      const { read, dropped } = readFields(item);
      if (((read as Identity).rest_id ?? (read as Identity).id) != null)
        return { item: read, problem: undefined, dropped, unknown: unknown ?? NONE };
      const unreadable = identityFields.find((field) => item[field] != null);
      const problem =
        unreadable === undefined
          ? { path: '/id', reason: 'has no identity: neither id nor rest_id' }
          : { path: `/${unreadable}`, reason: reasonOf(item[unreadable]) };
      return { item: undefined, problem, dropped: NONE, unknown: unknown ?? NONE };
    },
  };
}

type Identity = { readonly id?: string | null; readonly rest_id?: string | null };

/** One object shape without a spread, since it runs for every item. */
const acceptItem = (item: object, unknown: readonly string[]): Inspection => {
  return { item, problem: undefined, dropped: NONE, unknown };
};

const optional = (properties: Record<string, TSchema>): Record<string, TSchema> =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]));

const reasonOf = (value: unknown): string => `has the wrong type or form: ${describeType(value)}`;

export function describeType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const items = Type.Array(Type.Unknown());
export const profileInspector = inspector('profile', UserProfile);
export const summaryInspector = inspector('summary', UserSummary);
export const referenceInspector = inspector('reference', UserReference);
export const authorInspector = inspector('author', DetailedAuthor);
export const groupInspector = inspector('group', Group);
export const tweetInspector = inspector('tweet', Tweet, {
  author: Type.Unknown(),
  media: items,
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
