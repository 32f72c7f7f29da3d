import { parseCursor, UNREADABLE } from './parse-cursor.ts';
import { findHints, isIncomplete } from './parse-envelope.ts';

/** Parses responses by the specification, on purpose without the tested code, for the oracle. */

type Json = Record<string, unknown>;

/** Values by column; absent and null values are left out. */
export type Values = Readonly<Record<string, string | number | null>>;

export interface ParsedUser {
  readonly id: string;
  readonly as: 'reference' | 'summary' | 'profile';
  readonly values: Values;
}

export interface ParsedTweet {
  readonly id: string;
  readonly author: string | undefined;
  readonly values: Values;
}

export interface ParsedAnswer {
  readonly users: readonly ParsedUser[];
  readonly tweets: readonly ParsedTweet[];
  /** Ids of valid list items, in order. */
  readonly items: readonly string[];
  /** Of tweet-detail: the tweet and its replies. */
  readonly nested: { readonly of: string; readonly replies: readonly string[] } | undefined;
  readonly owner: string | undefined;
  readonly ownerHandle: string | undefined;
  /** Null at the end of the list, `UNREADABLE` if it is unreadable. */
  readonly cursor: string | null;
  /** The same without hints: what the places of cursors hold. */
  readonly ownCursor: string | null;
  readonly bad: number;
  /** Number of unreadable fields of valid items. */
  readonly dropped: number;
  readonly entries: number;
  /** Values of hints that the list goes on, outside of the places of cursors; the list has an unreadable cursor then. */
  readonly hints: readonly unknown[];
  /** The response says that it is incomplete: it proves nothing. */
  readonly isIncomplete: boolean;
  /** The service calls the owner of the list unavailable: the list is closed. */
  readonly isUnavailable: boolean;
}

/** A response, with what says how complete it is. */
export interface AnswerFacts {
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
}

type Read = readonly [column: string, type: 'string' | 'number' | 'boolean' | 'time'];
const text = (column: string): Read => [column, 'string'];
const count = (column: string): Read => [column, 'number'];
const flag = (column: string): Read => [column, 'boolean'];

const REFERENCE: Readonly<Record<string, Read>> = { name: text('name'), screen_name: text('screen_name') };
const AUTHOR = { ...REFERENCE, profile_image_url: text('profile_image_url') };
const SUMMARY = {
  ...AUTHOR,
  description: text('description'),
  followers_count: count('followers_count'),
  following_count: count('following_count'),
  verified: flag('verified'),
};
const PROFILE: Readonly<Record<string, Read>> = {
  type: text('type'),
  userName: text('screen_name'),
  url: text('url'),
  name: text('name'),
  isBlueVerified: flag('is_blue_verified'),
  profilePicture: text('profile_image_url'),
  coverPicture: text('cover_image_url'),
  description: text('description'),
  location: text('location'),
  followers: count('followers_count'),
  following: count('following_count'),
  canDm: flag('can_dm'),
  createdAt: ['created_at', 'time'],
  favouritesCount: count('favourites_count'),
  hasCustomTimelines: flag('has_custom_timelines'),
  isTranslator: flag('is_translator'),
  mediaCount: count('media_count'),
  statusesCount: count('statuses_count'),
};
const TWEET: Readonly<Record<string, Read>> = {
  text: text('text'),
  created_at: ['created_at', 'time'],
  favorite_count: count('favorite_count'),
  retweet_count: count('retweet_count'),
  reply_count: count('reply_count'),
  quote_count: count('quote_count'),
  has_media: flag('has_media'),
  in_reply_to_status_id: text('in_reply_to_status_rest_id'),
  in_reply_to_user_id: text('in_reply_to_user_rest_id'),
  in_reply_to_screen_name: text('in_reply_to_screen_name'),
};

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce((inner, key) => (isObject(inner) ? inner[key] : undefined), value);

const ID = /^[A-Za-z0-9_-]{1,64}$/;

/** The readable part of an object; undefined without an identity. */
interface ReadableObject {
  readonly id: string;
  readonly values: Values;
  /** Number of fields with another type or form. */
  readonly dropped: number;
}

/** An identifier: text, or a safe integer. */
const idIn = (sent: unknown): string | undefined => {
  const text = typeof sent === 'number' && Number.isSafeInteger(sent) ? String(sent) : sent;
  return typeof text === 'string' && ID.test(text) ? text : undefined;
};

/** Parses ISO 8601 with a zone, and forms with the name of a month and a zone; undefined otherwise. */
function timeIn(sent: string): number | undefined {
  const iso = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d{1,3})?) ?(?:Z|UTC|GMT|([+-])(\d\d):?(\d\d)?)$/.exec(sent);
  if (iso) {
    const [, day, clock, sign = '+', hours = '0', minutes = '0'] = iso;
    const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
    return Date.parse(`${day}T${clock}Z`) - (sign === '-' ? -offset : offset);
  }
  return /[A-Z][a-z]{2} .*(GMT|UTC|[+-]\d{4})/.test(sent) ? Date.parse(sent) : undefined;
}

/** A value as its column stores it; undefined for another type or form. */
function valueIn(sent: unknown, column: string, type: Read[1]): string | number | undefined {
  if (type === 'time') return typeof sent === 'string' ? timeIn(sent) : undefined;
  if (type === 'boolean') return typeof sent === 'boolean' ? Number(sent) : undefined;
  if (type === 'number') return Number.isSafeInteger(sent) ? (sent as number) : undefined;
  const text = column.endsWith('_id') && Number.isSafeInteger(sent) ? String(sent) : sent;
  return typeof text === 'string' ? text.toWellFormed().replaceAll('\0', '') : undefined;
}

/** Invariant 6: unreadable fields are left out, and only an object without identity is rejected. */
function readObject(value: unknown, reads: Readonly<Record<string, Read>>): ReadableObject | undefined {
  if (!isObject(value)) return undefined;
  const [restId, plainId] = [idIn(value['rest_id']), idIn(value['id'])];
  // A number in `rest_id` is not the identity if the text in `id` contradicts it.
  const isText = typeof value['id'] === 'string' && plainId !== undefined;
  const isDropped = isText && typeof value['rest_id'] === 'number' && restId !== plainId;
  const id = isDropped ? plainId : (restId ?? plainId);
  if (id === undefined) return undefined;
  const unreadable = { id: plainId === undefined, rest_id: isDropped || restId === undefined };
  let dropped = Object.entries(unreadable).filter(([key, isUnread]) => value[key] != null && isUnread).length;
  const values: Record<string, string | number | null> = {};
  for (const [field, [column, type]] of Object.entries(reads)) {
    const sent = value[field];
    // An empty identity counts as absent.
    if (sent == null || (sent === '' && field.startsWith('in_reply_to_'))) continue;
    const read = valueIn(sent, column, type);
    if (read === undefined) dropped += 1;
    else values[column] = read;
  }
  return { id, values, dropped };
}

/** Number of unreadable parts of a tweet's media. */
function droppedMedia(media: unknown): number {
  if (media == null) return 0;
  if (!Array.isArray(media)) return 1;
  const isBad = (one: Json, field: string, type: string): boolean =>
    one[field] != null && (type === 'string' ? typeof one[field] !== type : !Number.isSafeInteger(one[field]));
  const badIn = (one: unknown): number =>
    isObject(one)
      ? ['type', 'url'].filter((field) => isBad(one, field, 'string')).length +
        ['width', 'height'].filter((field) => isBad(one, field, 'number')).length
      : 1;
  return media.reduce((sum: number, one: unknown) => sum + badIn(one), 0);
}

/** Paths of owner and list by endpoint. */
const PLACES: Readonly<Record<string, { owner: string[]; list: string[]; item: 'tweet' | 'user'; flat?: true }>> = {
  'user-tweets': { owner: ['user', 'result'], list: ['timeline'], item: 'tweet' },
  'user-tweets-replies': { owner: ['user'], list: ['timeline'], item: 'tweet' },
  followers: { owner: ['user'], list: ['followers', 'timeline'], item: 'user' },
  following: { owner: ['user'], list: ['following', 'timeline'], item: 'user' },
  'tweet-detail': { owner: [], list: ['tweet', 'replies'], item: 'tweet', flat: true },
  search: { owner: [], list: ['timeline'], item: 'tweet' },
  'community-tweets': { owner: [], list: ['tweets'], item: 'tweet' },
  'list-latest-tweets': { owner: [], list: ['tweets'], item: 'tweet', flat: true },
};

/** Parses a body; undefined if it does not match the specification. */
export function parseAnswer(answer: AnswerFacts, body: unknown): ParsedAnswer | undefined {
  const { endpoint, parameters } = answer;
  const data = at(body, 'data');
  if (!isObject(data)) return undefined;
  const users: ParsedUser[] = [];
  const tweets: ParsedTweet[] = [];
  let bad = 0;
  let dropped = 0;

  function readUser(value: unknown, as: ParsedUser['as'], reads: Readonly<Record<string, Read>>): string | undefined {
    const found = readObject(value, reads);
    if (found) users.push({ id: found.id, values: found.values, as });
    dropped += found?.dropped ?? 0;
    return found?.id;
  }
  function readItem(value: unknown, as: ParsedUser['as'], reads: Readonly<Record<string, Read>>): string | undefined {
    const id = readUser(value, as, reads);
    if (id === undefined) bad += 1;
    return id;
  }
  function readTweet(value: unknown, owner?: string): string | undefined {
    const found = readObject(value, TWEET);
    if (!found) {
      bad += 1;
      return undefined;
    }
    const sent = at(value, 'author');
    const author = sent == null ? undefined : readUser(sent, 'reference', AUTHOR);
    // An unreadable author is a dropped field of the tweet.
    if (sent != null && author === undefined) dropped += 1;
    dropped += found.dropped + droppedMedia(at(value, 'media'));
    tweets.push({ id: found.id, values: found.values, author: author ?? owner });
    return found.id;
  }

  if (endpoint === 'user-profile') {
    const id = readItem(data, 'profile', PROFILE);
    const handle = users[0]?.values['screen_name'];
    const items = id === undefined ? [] : [id];
    return {
      users,
      tweets,
      items,
      bad,
      dropped,
      entries: 1,
      cursor: null,
      ownCursor: null,
      nested: undefined,
      hints: [],
      isIncomplete: false,
      isUnavailable: false,
      owner: id,
      ownerHandle: handle as string | undefined,
    };
  }
  const place = PLACES[endpoint]!;
  const groups = place.flat ? [at(data, ...place.list) ?? {}] : at(data, ...place.list, 'instructions');
  if (!Array.isArray(groups)) return undefined;
  let owner: string | undefined;
  let isUnavailable = false;
  if (place.owner.length > 0) {
    const sent = at(data, ...place.owner);
    isUnavailable = at(sent, '__typename') === 'UserUnavailable';
    owner = (sent == null ? undefined : readUser(sent, 'reference', REFERENCE)) ?? parameters['restId'];
    if (sent != null && users.length === 0) dropped += 1;
    if (users.length === 0) users.push({ id: owner!, as: 'reference', values: {} });
  }
  const ownerHandle = users[0]?.values['screen_name'] as string | undefined;
  const found: (string | undefined)[] = [];
  const hints = findHints(answer, body, { timeline: at(data, ...place.list), groups });
  const ownCursor = parseCursor(endpoint, groups);
  const cursor = ownCursor === null && hints.length > 0 ? UNREADABLE : ownCursor;
  let entries = 0;
  if (endpoint === 'tweet-detail') found.push(readTweet(at(data, 'tweet')));
  for (const group of groups as unknown[]) {
    // A tweet in an instruction of its own has no place in the list.
    const pin = at(group, 'entry', 'content', 'tweet');
    if (pin !== undefined) readTweet(pin, owner);
    for (const entry of (at(group, 'entries') ?? []) as unknown[]) {
      const item = at(entry, 'content', place.item);
      if (item === undefined && String(at(entry, 'entryId')).startsWith('cursor-')) continue;
      entries += 1;
      if (item === undefined) bad += 1;
      else found.push(place.item === 'tweet' ? readTweet(item, owner) : readItem(item, 'summary', SUMMARY));
    }
  }
  const items = found.filter((id) => id !== undefined);
  const [of] = found;
  const replies = found.slice(1).filter((id): id is string => id !== undefined && id !== of);
  const nested = endpoint === 'tweet-detail' && of !== undefined ? { of, replies } : undefined;
  return {
    users,
    tweets,
    items,
    nested,
    owner,
    ownerHandle,
    cursor,
    ownCursor,
    bad,
    dropped,
    entries,
    hints,
    isUnavailable,
    isIncomplete: isIncomplete(answer, body, {
      hasOwner: place.owner.length > 0,
      groups,
    }),
  };
}
