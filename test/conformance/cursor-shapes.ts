import { type Answer, type Call, cursorEntry, type Hook, type Json, type Parameters } from './scripted-service.ts';

/** What a cursor means: there is another page, the list is at its end, or nobody can tell. */
export type Meaning = 'follow' | 'end' | 'unreadable';

/** A cursor of page 1 as the service spells it, with what a client shall send back for it. */
interface CursorShape {
  readonly name: string;
  readonly meaning: Meaning;
  /** The fields `value` and `cursorType`, or the whole cursor where it is `bare`. */
  readonly cursor: unknown;
  readonly sentBack?: string;
}

const bottom = (name: string, meaning: Meaning, value: unknown, sentBack?: string): CursorShape => ({
  name,
  meaning,
  cursor: { value, cursorType: 'Bottom' },
  ...(sentBack === undefined ? {} : { sentBack }),
});

/** Cursors that are objects with a `value` and a `cursorType`. */
const FIELDS: readonly CursorShape[] = [
  bottom('a string', 'follow', 'page-5', 'page-5'),
  { name: 'a string without a cursorType', meaning: 'follow', cursor: { value: 'page-5' }, sentBack: 'page-5' },
  bottom('a number', 'follow', 1_234_567, '1234567'),
  bottom('zero', 'follow', 0, '0'),
  bottom('the largest safe integer', 'follow', Number.MAX_SAFE_INTEGER, '9007199254740991'),
  bottom('null', 'end', null),
  bottom('an empty string', 'end', ''),
  bottom('no value, with the cursorType Bottom', 'end', undefined),
  { name: 'null without a cursorType', meaning: 'end', cursor: { value: null } },
  { name: 'a string of the cursorType Top', meaning: 'end', cursor: { value: 'page-5', cursorType: 'Top' } },
  {
    name: 'a string of another cursorType',
    meaning: 'unreadable',
    cursor: { value: 'page-5', cursorType: 'ShowMore' },
  },
  bottom('true', 'unreadable', true),
  bottom('false', 'unreadable', false),
  bottom('a fraction', 'unreadable', 5.5),
  bottom('a negative number', 'unreadable', -5),
  bottom('an unsafe integer', 'unreadable', 2 ** 60),
  bottom('an array', 'unreadable', ['page-5']),
  bottom('an empty object', 'unreadable', {}),
  bottom('an object', 'unreadable', { page: 'page-5' }),
];

/** Cursors that stand without an object around them. */
const BARE: readonly CursorShape[] = [
  { name: 'a string', meaning: 'follow', cursor: 'page-5', sentBack: 'page-5' },
  { name: 'a number', meaning: 'follow', cursor: 1_234_567, sentBack: '1234567' },
  { name: 'null', meaning: 'end', cursor: null },
  { name: 'an empty string', meaning: 'end', cursor: '' },
  { name: 'an empty object', meaning: 'unreadable', cursor: {} },
  { name: 'true', meaning: 'unreadable', cursor: true },
  { name: 'false', meaning: 'unreadable', cursor: false },
  { name: 'an array', meaning: 'unreadable', cursor: ['page-5'] },
  { name: 'a fraction', meaning: 'unreadable', cursor: 5.5 },
];

export type PagedEndpoint = 'followers' | 'following' | 'user-tweets';

/** The instruction that holds the entries of a page. */
export function instructionOf(endpoint: PagedEndpoint, { body }: Answer): Json {
  const { data } = body as Json;
  const list = endpoint === 'user-tweets' ? data : data[endpoint];
  return list.timeline.instructions[0] as Json;
}

const withContent = (content: Json): Json => ({ ...cursorEntry('1'), content });

interface Place {
  readonly name: string;
  readonly shapes: readonly CursorShape[];
  /** Puts a cursor there, into an answer without any. */
  put(instruction: Json, cursor: Json): void;
}

/** Where a cursor may stand. The first is documented for followers and following, the second for user-tweets. */
export const PLACES: readonly Place[] = [
  { name: 'the cursor object', shapes: FIELDS, put: (to, cursor) => void (to['cursor'] = cursor) },
  {
    name: 'the content of the cursor entry',
    shapes: FIELDS,
    put: (to, cursor) => {
      const { value: _, cursorType: __, ...rest } = cursorEntry('1')['content'] as Json;
      to['entries'].push(withContent({ ...rest, ...cursor }));
    },
  },
  {
    name: 'content.itemContent of the cursor entry',
    shapes: FIELDS,
    put: (to, cursor) => void to['entries'].push(withContent({ itemContent: cursor })),
  },
  {
    name: 'content.operation.cursor of the cursor entry',
    shapes: FIELDS,
    put: (to, cursor) => void to['entries'].push(withContent({ operation: { cursor } })),
  },
  { name: 'a bare cursor', shapes: BARE, put: (to, cursor) => void (to['cursor'] = cursor) },
];

/** Takes the documented cursor out of an answer. */
export function removeCursor(endpoint: PagedEndpoint, answer: Answer): Json {
  const instruction = instructionOf(endpoint, answer);
  delete instruction['cursor'];
  instruction['entries'] = instruction['entries'].filter(
    (entry: Json) => !String(entry['entryId']).startsWith('cursor-'),
  );
  return instruction;
}

/**
 * Gives the first page of each account a cursor of its own shape: of the account with the id `ids[n]` that of
 * `place.shapes[n]`. What a client shall send back leads to the second page; the second page leads to the third as documented.
 */
export function spellCursors(endpoint: PagedEndpoint, { shapes, put }: Place, ids: readonly string[]): Hook {
  return (call: Call, next: (parameters?: Parameters) => Answer) => {
    const shape = shapes[ids.indexOf(String(call.parameters['restId']))];
    if (call.endpoint !== endpoint || !shape) return next();
    const { cursor } = call.parameters;
    if (cursor !== undefined)
      return next({ ...call.parameters, cursor: cursor === shape.sentBack ? 'page-5' : cursor });
    const answer = next();
    put(removeCursor(endpoint, answer), shape.cursor as Json);
    return answer;
  };
}
