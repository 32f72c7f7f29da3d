import type { SeededRandom } from '../../src/seeded-random.ts';
import { ITEM_SHAPES } from './shapes-of-items.ts';

/**
 * Shapes that answers may have beside those of the specification, for as long as a service keeps to them. Each takes a
 * good answer and changes its body in place. What of it can be known, `parse-answer.ts` says.
 */

type Json = Record<string, any>; // eslint-disable-line -- an answer's body

/** A shape that some of a service's answers have. */
export interface ShapePlan {
  readonly name: ShapeName;
  /** Answers before this request have the documented shape. */
  readonly after: number;
  /** One in so many answers has the shape; all where it is 1. */
  readonly every: number;
  readonly pick: number;
}

interface Shaped {
  readonly dice: SeededRandom;
  /** A number that stands for a cursor of the service. */
  readonly numberOf: (cursor: string) => number;
}

interface List {
  readonly endpoint: string;
  readonly group: Json;
  /** Undefined where the endpoint has no such level. */
  readonly instructions: Json[] | undefined;
  cursor: string | null;
}

/** The list of an answer: its entries, and the cursor, which the setter puts where the service puts its own. */
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

const isPeople = ({ endpoint }: List): boolean => endpoint === 'followers' || endpoint === 'following';
const entryOf = (content: unknown, entryId = 'cursor-bottom-1') => ({ entryId, sortIndex: '0', content });

/** Takes the cursor away. */
function clear({ group }: List): void {
  delete group['cursor'];
  group['entries'] = (group['entries'] as Json[]).filter(({ entryId }) => !String(entryId).startsWith('cursor-'));
}

/** Puts an object where the specification has the cursor of this endpoint. */
function document(list: List, object: Json): void {
  if (isPeople(list)) list.group['cursor'] = object;
  else list.group['entries'].push(entryOf(object));
}

/** Puts a value where the specification has none. */
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

const AT_TOP = Buffer.from(JSON.stringify(['', 0])).toString('base64url');
const NOWHERE = Buffer.from(JSON.stringify(['~', 0])).toString('base64url');
/** What has one of these shapes has no other of them: two together would be a lie. */
const done = new WeakSet<object>();
const onCursor =
  (strike: (list: List & { cursor: string }, shaped: Shaped) => void) =>
  (endpoint: string, body: unknown, shaped: Shaped): void => {
    const list = listOf(endpoint, body);
    if (typeof list?.cursor !== 'string' || list.cursor === '' || done.has(list.group)) return;
    done.add(list.group);
    strike(list as List & { cursor: string }, shaped);
  };

export const SHAPES = {
  ...ITEM_SHAPES,
  /** Of token-info; nothing of a page. */
  'a number for the time of the reset': () => undefined,
  'a cursor that cannot be read': onCursor((list, { dice: random }) => {
    const { cursor: value } = list;
    clear(list);
    const bad = random.pick<unknown>([{}, { n: 1 }, true, false, [value], 1.5, -1, 2 ** 60]);
    if (random.chance(0.3)) document(list, random.pick<Json>([{}, { other: value }, { value, cursorType: 'Gap' }]));
    else if (random.chance(0.5))
      document(list, { value: bad, ...(random.chance(0.5) ? { cursorType: 'Bottom' } : {}) });
    else misplace(list, bad, random);
  }),
  'a cursor in another place': onCursor((list, { dice: random }) => {
    const { cursor } = list;
    clear(list);
    misplace(list, cursor, random);
    const isFree = !isPeople(list) || list.group['cursor'] === undefined;
    if (isFree && random.chance(0.3)) document(list, { value: random.pick([null, '']), cursorType: 'Bottom' });
  }),
  'a number for a cursor': onCursor((list, { dice: random, numberOf }) => {
    const number = numberOf(list.cursor);
    clear(list);
    if (random.chance(0.7)) document(list, { value: number, cursorType: 'Bottom' });
    else misplace(list, number, random);
  }),
  'a cursor that leads back up': (endpoint, body, { dice: random }) => {
    const list = listOf(endpoint, body);
    if (!list) return;
    const top = { value: random.pick([AT_TOP, {}, NOWHERE]), cursorType: 'Top' };
    const entry = entryOf(top, 'cursor-top-1');
    if (list.instructions && random.chance(0.5)) list.instructions.push({ entries: [entry], cursor: top });
    else list.group['entries'].push(entry);
  },
  'two cursors that differ': onCursor((list, { dice: random }) => {
    const { cursor, endpoint } = list;
    // Where neither form is documented, either may be followed.
    if (!isPeople(list) && endpoint !== 'user-tweets') return;
    const other = random.pick([AT_TOP, NOWHERE]);
    clear(list);
    const isFirst = random.chance(0.5);
    if (isFirst) document(list, { value: cursor, cursorType: 'Bottom' });
    // In the other form, so that one of them is documented on every endpoint that documents a form.
    if (isPeople(list)) list.group['entries'].push(entryOf({ value: other, cursorType: 'Bottom' }));
    else list.group['cursor'] = { value: other, cursorType: 'Bottom' };
    if (!isFirst) document(list, { value: cursor, cursorType: 'Bottom' });
  }),
  'a cursor of another type beside the own': onCursor((list, { dice: random }) => {
    const more = { value: random.pick([AT_TOP, NOWHERE]), cursorType: 'ShowMoreThreads' };
    list.group['entries'].push(entryOf(more, 'cursor-showmorethreads-1'));
  }),
  'a pin in an instruction of its own': (endpoint, body, { dice: random }) => {
    const list = endpoint.startsWith('user-tweets') ? listOf(endpoint, body) : undefined;
    const items = (list?.group['entries'] as Json[] | undefined)?.filter(({ content }) => content?.['tweet']) ?? [];
    if (!list || items.length < 2) return;
    const entry = random.pick(items);
    // It stands there as well, or only there.
    if (random.chance(0.5)) list.group['entries'] = (list.group['entries'] as Json[]).filter((one) => one !== entry);
    list.instructions!.unshift({ type: 'TimelinePinEntry', entry: structuredClone(entry) });
  },
  'an end that is spelt out': (endpoint, body, { dice: random }) => {
    const list = listOf(endpoint, body);
    if (!list || list.cursor !== null || done.has(list.group)) return;
    const end = random.pick<Json>([
      { value: null, cursorType: 'Bottom' },
      { value: '' },
      { cursorType: 'Bottom' },
      { value: '', cursorType: null },
    ]);
    if (random.chance(0.2)) list.group['cursor'] = random.pick([null, '']);
    else document(list, end);
  },
} as const satisfies Record<string, (endpoint: string, body: unknown, shaped: Shaped) => void>;

export type ShapeName = keyof typeof SHAPES;
export const SHAPE_NAMES = Object.keys(SHAPES) as ShapeName[];
