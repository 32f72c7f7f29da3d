import Type from 'typebox';
import { decodeAliases, encodeAlias, resolveAlias } from '../cursor-aliases.ts';
import { type FaultAnswer, createAnswer } from '../fault-answer.ts';
import { defineFault } from '../fault-row.ts';
import { cursorShapeRows, PAGED } from './cursor-shapes.ts';

/** Lists that do not go on as they should. */

export const refuseCursor = (): FaultAnswer =>
  createAnswer(400, {
    type: 'about:blank',
    title: 'Bad Request',
    status: 400,
    detail: 'The parameter cursor is not a cursor that this list gave.',
  });

const LAST = 16;

export const cursorRows = {
  'repeat-cursor': defineFault({
    description: 'A page with items gives the cursor again that it was asked with.',
    outcome: 'stopped',
    endpoints: PAGED,
    options: Type.Object({}),
    changePage(page, { request }) {
      if (request.cursor === undefined) return false;
      page.cursor = request.cursor;
      return true;
    },
  }),
  'cycle-cursors': defineFault({
    description: 'A page gives a cursor of some pages before, so that the list goes round: A B A B.',
    outcome: 'stopped',
    endpoints: PAGED,
    options: Type.Object({
      length: Type.Integer({
        minimum: 2,
        maximum: LAST,
        default: 2,
        description: `how many pages make one round, from 2 to ${LAST}`,
      }),
    }),
    memory: () => ({ asked: [] as string[] }),
    changePage(page, { request: { cursor }, isTriggered, memory, options: { length } }) {
      if (cursor === undefined) memory.asked = [];
      else if (memory.asked.at(-1) !== cursor) memory.asked = [...memory.asked, cursor].slice(-LAST);
      const earlier = memory.asked.at(-length);
      if (!isTriggered || earlier === undefined) return false;
      page.cursor = earlier;
      return true;
    },
  }),
  'ignore-cursor': defineFault({
    description: 'The cursor is ignored: the first page comes again.',
    outcome: 'stopped',
    endpoints: PAGED,
    options: Type.Object({}),
    ignoresCursor: true,
    changePage: (_, { request }) => request.cursor !== undefined,
  }),
  'refuse-cursor': defineFault({
    description: 'A 400 for a cursor that is good, this once.',
    outcome: 'stopped',
    costs: false,
    endpoints: PAGED,
    options: Type.Object({}),
    replaceRequest: ({ request }) => (request.cursor === undefined ? undefined : refuseCursor()),
  }),
  'forget-cursors': defineFault({
    description:
      'All cursors of a list that were given so far are forgotten: a 400 from then on, until the list is read again.',
    outcome: 'stopped',
    costs: false,
    endpoints: PAGED,
    options: Type.Object({}),
    memory: () => ({ hasForgotten: false, given: new Set<string>() }),
    replaceRequest({ request, isTriggered, memory }) {
      if (isTriggered) {
        memory.hasForgotten = true;
        memory.given.clear();
      }
      const cursor = resolveAlias(request.cursor);
      return memory.hasForgotten && cursor !== undefined && !memory.given.has(cursor) ? refuseCursor() : undefined;
    },
    changePage({ cursor }, { memory }) {
      if (memory.hasForgotten && cursor !== null) memory.given.add(resolveAlias(cursor) ?? '');
      return false;
    },
  }),
  'empty-page': defineFault({
    description:
      'A page without items and with a new cursor, which gives the page that was asked for. Never two in a row.',
    outcome: 'same',
    endpoints: PAGED,
    options: Type.Object({}),
    changePage(page, { request: { cursor }, rule }) {
      if (decodeAliases(cursor).some((alias) => alias.rule.startsWith('empty-page'))) return false;
      page.items = [];
      page.cursor = encodeAlias({ rule, to: cursor ?? null, mark: 1 });
      return true;
    },
  }),
  'endless-empty': defineFault({
    description: 'The last page has a cursor, too, and behind it come empty pages with cursors for ever.',
    outcome: 'same',
    endpoints: PAGED,
    options: Type.Object({
      cursor: Type.Enum(['new', 'same'], {
        default: 'new',
        description: 'new (each empty page gives another cursor) or same',
      }),
    }),
    memory: () => ({}),
    changePage(page, { request: { cursor }, isTriggered, rule, options }) {
      const came = decodeAliases(cursor).find((alias) => alias.rule === rule);
      if (!came && (!isTriggered || page.cursor !== null || page.items.length === 0)) return false;
      const next = encodeAlias({ rule, to: null, mark: (came?.mark ?? 0) + 1 });
      if (came) page.items = [];
      page.cursor = came && options.cursor === 'same' ? cursor! : next;
      return true;
    },
  }),
  // Last: the others look for the cursor where it belongs.
  ...cursorShapeRows,
};
