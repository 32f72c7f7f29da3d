import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
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
 * The resources as a client must be ready to see them. The spec does not say which fields may be absent or null, so
 * every field but the identity may be either, and unknown fields are allowed (they are reported as drift).
 */

type Loosened<T extends TProperties> = { [K in keyof T]?: Static<T[K]> | null };
/** An item whose shape was checked: every documented field has its type, is null, or is absent. */
export type Observed<T extends TObject> = T extends TObject<infer P> ? Loosened<P> : never;

export type ObservedProfile = Observed<typeof UserProfile>;
export type ObservedSummary = Observed<typeof UserSummary>;
export type ObservedReference = Observed<typeof UserReference>;
export type ObservedAuthor = Observed<typeof DetailedAuthor>;
export type ObservedGroup = Observed<typeof Group>;
export type ObservedMedia = Observed<typeof SizedMedia>;
/** A tweet's author, media and nested replies are items of their own: checked, and set aside, one by one. */
export type ObservedTweet = Omit<Observed<typeof Tweet>, 'author' | 'media' | 'replies'> & {
  author?: unknown;
  media?: unknown[] | null;
  replies?: { entries?: unknown[] | null } | null;
};

export interface Inspection {
  /** Where and why the item is malformed; undefined when it can be stored. */
  readonly problem: { readonly path: string; readonly reason: string } | undefined;
  /** Names of fields that the spec does not have. */
  readonly unknown: readonly string[];
}

export interface Inspector {
  /** What it inspects, and the fields that the spec has of it. */
  readonly name: string;
  readonly fields: readonly string[];
  inspect(item: unknown): Inspection;
}

/** Identities end up in keys, addresses and logs: a short run of letters, digits, `_` and `-`, never a number. */
const identity = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' });
const identityFields = ['rest_id', 'id'];
const NONE: readonly string[] = [];

function loosen(schema: TObject, overrides: Record<string, TSchema>): TSchema {
  const properties: Record<string, TSchema> = {};
  for (const [name, field] of Object.entries(schema.properties)) {
    // A timestamp of another format is drift, not a reason to lose the item: only its being text is required here.
    const type = identityFields.includes(name) ? identity : 'pattern' in field ? Type.String() : field;
    properties[name] = Type.Optional(Type.Union([overrides[name] ?? type, Type.Null()]));
  }
  return Type.Object(properties);
}

/** Checks one item of a page against its resource. The validator is compiled at first use. */
function inspector(name: string, schema: TObject, overrides: Record<string, TSchema> = {}): Inspector {
  let check: ReturnType<typeof Compile> | undefined;
  const fields = Object.keys(schema.properties);
  const known = new Set(fields);
  return {
    name,
    fields,
    inspect(item) {
      check ??= Compile(loosen(schema, overrides));
      if (typeof item !== 'object' || item === null || Array.isArray(item)) {
        return { problem: { path: '', reason: `must be an object, is ${kindOf(item)}` }, unknown: NONE };
      }
      let unknown: string[] | undefined;
      for (const key of Object.keys(item)) if (!known.has(key)) (unknown ??= []).push(key);
      if (!check.Check(item)) return { problem: explain(item, check), unknown: unknown ?? NONE };
      const ids = item as { id?: string | null; rest_id?: string | null };
      if ((ids.rest_id ?? ids.id) == null) {
        return {
          problem: { path: '/id', reason: 'has no identity: neither id nor rest_id' },
          unknown: unknown ?? NONE,
        };
      }
      return { problem: undefined, unknown: unknown ?? NONE };
    },
  };
}

/** The first field at fault; a union's own complaint is about null, so the field's value says more. */
function explain(item: object, check: ReturnType<typeof Compile>): { path: string; reason: string } {
  const [error] = check.Errors(item);
  const path = error?.instancePath ?? '';
  const field = path.split('/')[1] ?? '';
  const value = (item as Record<string, unknown>)[field];
  return { path: `/${field}`, reason: `has the wrong type or form: ${kindOf(value)}` };
}

export function kindOf(value: unknown): string {
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
  replies: Type.Object({ entries: Type.Optional(Type.Union([items, Type.Null()])) }),
});

/** token-info is read for three numbers; whatever else it has or lacks does not matter to us. */
export const observedTokenUsage = Compile(
  Type.Object({
    app_limit: TokenUsage.properties.app_limit,
    remaining: TokenUsage.properties.remaining,
    reset_at: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
);
