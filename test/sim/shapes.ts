import { createSeededRandom, type SeededRandom } from '#base/seeded-random.ts';
import type { Answer } from './faults.ts';
import { ITEM_SHAPES } from './shapes-of-items.ts';

/**
 * Undocumented forms of responses. Each changes the body of a valid response in place. `parse-answer.ts` says what can
 * be read of it.
 */

type Json = Record<string, any>; // eslint-disable-line -- an answer's body

export interface ShapePlan {
  readonly name: ShapeName;
  /** Responses before this request have the documented form. */
  readonly after: number;
  /** One of this many responses has the form. */
  readonly every: number;
  readonly pick: number;
}

interface Shaped {
  readonly random: SeededRandom;
  /** Returns the number that replaces a cursor. */
  readonly numberOf: (cursor: string) => number;
  /** Its status and headers may change, too. */
  readonly answer: Answer;
  /** The cursor that was sent. */
  readonly sentCursor: string | undefined;
}

interface List {
  readonly endpoint: string;
  readonly group: Json;
  /** Undefined if the endpoint has no such level. */
  readonly instructions: Json[] | undefined;
  cursor: string | null;
}

/** The list of a response, with a setter for its cursor in the service's own place. */
function listOf(endpoint: string, body: unknown): List | undefined {
  const data = (body as Json)['data'] as Json;
  for (const key of ['timeline', 'tweets', 'followers', 'following']) {
    const found = data[key] as Json | undefined;
    const timeline = (found?.['timeline'] ?? found) as Json | undefined;
    const instructions = timeline?.['instructions'] as Json[] | undefined;
    const group = instructions?.find(({ entries }) => Array.isArray(entries)) ?? timeline;
    if (!group || !Array.isArray(group['entries'])) continue;
    const entry = (group['entries'] as Json[]).find(({ entryId }) => String(entryId).startsWith('cursor-bottom-'));
    const cursor = (group['cursor']?.value ?? entry?.['content'].value ?? null) as string | null;
    return { endpoint, group, instructions, cursor };
  }
  return undefined;
}

const objectsOf = ({ group }: List): Json[] =>
  (group['entries'] as Json[]).flatMap(({ content }) => content?.['tweet'] ?? content?.['user'] ?? []);
const isPeople = ({ endpoint }: List): boolean => endpoint === 'followers' || endpoint === 'following';
const entryOf = (content: unknown, entryId = 'cursor-bottom-1') => ({ entryId, sortIndex: '0', content });

function clear({ group }: List): void {
  delete group['cursor'];
  group['entries'] = (group['entries'] as Json[]).filter(({ entryId }) => !String(entryId).startsWith('cursor-'));
}

/** Puts an object in the documented place of the cursor. */
function document(list: List, object: Json): void {
  if (isPeople(list)) list.group['cursor'] = object;
  else list.group['entries'].push(entryOf(object));
}

/** Puts a value in an undocumented place. */
function misplace(list: List, value: unknown, random: SeededRandom): void {
  const { group } = list;
  const object = { value, ...(random.chance(0.5) ? { cursorType: 'Bottom' } : {}) };
  const places: (() => void)[] = [
    () => group['entries'].push(entryOf({ itemContent: object })),
    () => group['entries'].push(entryOf({ operation: { cursor: object } })),
    () => (group['cursor'] = value),
    () => (isPeople(list) ? group['entries'].push(entryOf(object)) : (group['cursor'] = object)),
  ];
  random.pick(places)();
}

/** The envelope, `data`, the timeline and the instruction of a list: a hint can be in each. */
function holdersOf(body: unknown, { group }: List): Json[] {
  const data = (body as Json)['data'] as Json;
  const outer = ['timeline', 'tweets', 'followers', 'following'].flatMap((key) => data[key] ?? []) as Json[];
  return [body as Json, data, ...outer.map((one) => (one['timeline'] ?? one) as Json), group];
}

/** Keys that say that a list goes on, with the form of their value. */
const HINTS: readonly ((cursor: unknown) => Json)[] = [
  (cursor) => ({ nextCursor: cursor }),
  (cursor) => ({ next_cursor: cursor }),
  (cursor) => ({ next_max_id: cursor }),
  (cursor) => ({ after: cursor }),
  (cursor) => ({ meta: { next_token: cursor } }),
  (cursor) => ({ pagination: { next: cursor, total: 7 } }),
  (cursor) => ({ pageInfo: { hasNextPage: cursor } }),
  (cursor) => ({ cursors: [cursor] }),
];

const AT_TOP = Buffer.from(JSON.stringify(['', 0])).toString('base64url');
const NOWHERE = Buffer.from(JSON.stringify(['~', 0])).toString('base64url');
/** A response has at most one of these forms. */
const changedLists = new WeakSet<object>();
const onCursor =
  (change: (list: List & { cursor: string }, shaped: Shaped) => void) =>
  (endpoint: string, body: unknown, shaped: Shaped): void => {
    const list = listOf(endpoint, body);
    if (typeof list?.cursor !== 'string' || list.cursor === '' || changedLists.has(list.group)) return;
    changedLists.add(list.group);
    change(list as List & { cursor: string }, shaped);
  };

export const SHAPES = {
  ...ITEM_SHAPES,
  /** Of token-info; nothing of a page. */
  'a number for the time of the reset': () => undefined,
  'a cursor that cannot be read': onCursor((list, { random }) => {
    const { cursor: value } = list;
    clear(list);
    const unreadable = random.pick<unknown>([{}, { n: 1 }, true, false, [value], 1.5, -1, 2 ** 60]);
    if (random.chance(0.3)) document(list, random.pick<Json>([{}, { other: value }, { value, cursorType: 'Gap' }]));
    else if (random.chance(0.5))
      document(list, { value: unreadable, ...(random.chance(0.5) ? { cursorType: 'Bottom' } : {}) });
    else misplace(list, unreadable, random);
  }),
  'a cursor in another place': onCursor((list, { random }) => {
    const { cursor } = list;
    clear(list);
    misplace(list, cursor, random);
    const isFree = !isPeople(list) || list.group['cursor'] === undefined;
    if (isFree && random.chance(0.3)) document(list, { value: random.pick([null, '']), cursorType: 'Bottom' });
  }),
  'a number for a cursor': onCursor((list, { random, numberOf }) => {
    const number = numberOf(list.cursor);
    clear(list);
    if (random.chance(0.7)) document(list, { value: number, cursorType: 'Bottom' });
    else misplace(list, number, random);
  }),
  'a cursor that leads back up': (endpoint, body, { random }) => {
    const list = listOf(endpoint, body);
    if (!list) return;
    const top = { value: random.pick([AT_TOP, {}, NOWHERE]), cursorType: 'Top' };
    const entry = entryOf(top, 'cursor-top-1');
    if (list.instructions && random.chance(0.5)) list.instructions.push({ entries: [entry], cursor: top });
    else list.group['entries'].push(entry);
  },
  'two cursors that differ': onCursor((list, { random }) => {
    const { cursor, endpoint } = list;
    // If no form is documented, either may be followed.
    if (!isPeople(list) && endpoint !== 'user-tweets') return;
    const other = random.pick([AT_TOP, NOWHERE]);
    clear(list);
    const isFirst = random.chance(0.5);
    if (isFirst) document(list, { value: cursor, cursorType: 'Bottom' });
    // In the other form, so that one of them is documented.
    if (isPeople(list)) list.group['entries'].push(entryOf({ value: other, cursorType: 'Bottom' }));
    else list.group['cursor'] = { value: other, cursorType: 'Bottom' };
    if (!isFirst) document(list, { value: cursor, cursorType: 'Bottom' });
  }),
  'a cursor of another type beside the own': onCursor((list, { random }) => {
    const more = { value: random.pick([AT_TOP, NOWHERE]), cursorType: 'ShowMoreThreads' };
    list.group['entries'].push(entryOf(more, 'cursor-showmorethreads-1'));
  }),
  'a pin in an instruction of its own': (endpoint, body) => {
    const list = endpoint.startsWith('user-tweets') ? listOf(endpoint, body) : undefined;
    const items = (list?.group['entries'] as Json[] | undefined)?.filter(({ content }) => content?.['tweet']) ?? [];
    if (!list || items.length < 2) return;
    // A page that is shown again has the same pin.
    const random = createSeededRandom(items.length, items.map(({ entryId }) => entryId).join(' '));
    const entry = random.pick(items);
    // In addition or instead.
    if (random.chance(0.5)) list.group['entries'] = (list.group['entries'] as Json[]).filter((one) => one !== entry);
    list.instructions!.unshift({ type: 'TimelinePinEntry', entry: structuredClone(entry) });
  },
  'an end that is spelt out': (endpoint, body, { random }) => {
    const list = listOf(endpoint, body);
    if (!list || list.cursor !== null || changedLists.has(list.group)) return;
    const end = random.pick<Json>([
      { value: null, cursorType: 'Bottom' },
      { value: '' },
      { cursorType: 'Bottom' },
      { value: '', cursorType: null },
    ]);
    if (random.chance(0.2)) list.group['cursor'] = random.pick([null, '']);
    else document(list, end);
  },
  'a hint in place of the cursor': onCursor((list, { random, answer }) => {
    const { cursor } = list;
    clear(list);
    if (random.chance(0.15)) answer.headers['link'] = `<https://mb.example/page?cursor=${cursor}>; rel="next"`;
    else {
      const hint = random.chance(0.3) ? { has_more: true } : random.pick(HINTS)(cursor);
      Object.assign(random.pick(holdersOf(answer.body, list)), hint);
    }
  }),
  'a hint that leads back up': (endpoint, body, { random }) => {
    const list = listOf(endpoint, body);
    if (list?.cursor !== null || changedLists.has(list.group)) return;
    Object.assign(random.pick(holdersOf(body, list)), { nextCursor: AT_TOP });
  },
  'words of a hint that say nothing': (endpoint, body, { random, sentCursor }) => {
    const list = listOf(endpoint, body);
    if (!list || changedLists.has(list.group)) return;
    const value = random.pick<unknown>([null, false, 0, '0', '-1', '', [], sentCursor ?? null]);
    const top = { value: 'x', cursorType: 'Top' };
    if (random.chance(0.2)) Object.assign(list.group, { nextCursor: top });
    else Object.assign(random.pick(holdersOf(body, list)), random.pick(HINTS.slice(0, -1))(value));
    // Inside an item, no key is a hint.
    const [item] = objectsOf(list);
    if (item && random.chance(0.5)) item['next_token'] = 'x';
  },
  'an incomplete response': (endpoint, body, { random, answer }) => {
    const list = listOf(endpoint, body);
    if (!list) return;
    const data = (body as Json)['data'] as Json;
    const hasOwner = data['user'] !== undefined;
    random.pick<() => unknown>([
      () => Object.assign(body as Json, { errors: [{ message: 'upstream timeout' }] }),
      () => Object.assign(body as Json, { status: 'error' }),
      () => Object.assign(body as Json, { success: false }),
      () => Object.assign(body as Json, { partial: true }),
      () => Object.assign(answer, { status: 206 }),
      () => (hasOwner ? Object.assign(data, { user: null }) : Object.assign(answer, { status: 206 })),
    ])();
    if (random.chance(0.3)) return;
    clear(list);
    list.group['entries'] = (list.group['entries'] as Json[]).filter(() => random.chance(0.5));
  },
  'an unavailable owner': (endpoint, body) => {
    const list = listOf(endpoint, body);
    const data = (body as Json)['data'] as Json;
    if (!list || data['user'] === undefined || changedLists.has(list.group)) return;
    changedLists.add(list.group);
    const unavailable = { __typename: 'UserUnavailable', reason: 'Suspended' };
    data['user'] = endpoint === 'user-tweets' ? { result: unavailable } : unavailable;
    clear(list);
    list.group['entries'] = [];
  },
  'members in another instruction': (endpoint, body, { random }) => {
    const list = listOf(endpoint, body);
    if (!list?.instructions) return;
    const items = (list.group['entries'] as Json[]).filter(({ content }) => content?.['tweet'] ?? content?.['user']);
    const moved = items.filter(() => random.chance(0.5));
    if (moved.length === 0) return;
    list.group['entries'] = (list.group['entries'] as Json[]).filter((one) => !moved.includes(one));
    list.instructions.push({ type: 'TimelineAddToModule', moduleItems: moved.map((item) => ({ item })) });
  },
} as const satisfies Record<string, (endpoint: string, body: unknown, shaped: Shaped) => void>;

export type ShapeName = keyof typeof SHAPES;
export const SHAPE_NAMES = Object.keys(SHAPES) as ShapeName[];
