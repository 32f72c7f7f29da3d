import { decodeAliases, encodeAlias, findAlias, resolveAlias } from '../definition/cursor-aliases.ts';
import { createProblem, type FaultAnswer } from '../definition/fault-answer.ts';
import { integer, oneOf } from '../definition/fault-options.ts';
import { atEndpoints, defineFault } from '../definition/fault-row.ts';
import { cursorShapeRows, PAGED } from './cursor-shape-faults.ts';

/** Faults of pagination. */

export const refuseCursor = (): FaultAnswer =>
  createProblem(400, 'Bad Request', 'The parameter cursor is not a cursor of this list.');

const MAX_CYCLE = 16;

export const cursorRows = atEndpoints(PAGED, {
  'repeat-cursor': defineFault({
    description: 'A page with items returns the cursor that was sent.',
    outcome: 'stopped',
    changePage(page, { request }) {
      if (request.cursor === undefined) return false;
      page.cursor = request.cursor;
      return true;
    },
  }),
  'cycle-cursors': defineFault({
    description: 'A page returns the cursor of an earlier page, so that the list is a cycle: A B A B.',
    outcome: 'stopped',
    options: {
      length: integer([2, MAX_CYCLE], 2, `the number of pages of the cycle, from 2 to ${MAX_CYCLE}`),
    },
    createState: () => ({ cursors: [] as string[] }),
    changePage(page, { request: { cursor }, isTriggered, state, options: { length } }) {
      if (cursor === undefined) state.cursors = [];
      else if (state.cursors.at(-1) !== cursor) state.cursors = [...state.cursors, cursor].slice(-MAX_CYCLE);
      const earlier = state.cursors.at(-length);
      if (!isTriggered || earlier === undefined) return false;
      page.cursor = earlier;
      return true;
    },
  }),
  'ignore-cursor': defineFault({
    description: 'The cursor is ignored: the first page is sent again.',
    outcome: 'stopped',
    ignoresCursor: true,
    changePage: (_, { request }) => request.cursor !== undefined,
  }),
  'refuse-cursor': defineFault({
    description: 'A 400 for a valid cursor, once.',
    outcome: 'stopped',
    costs: false,
    replaceRequest: ({ request }) => (request.cursor === undefined ? undefined : refuseCursor()),
  }),
  'forget-cursors': defineFault({
    description: 'All cursors of a list expire: a 400 from then on, until the list is read from its start.',
    outcome: 'stopped',
    costs: false,
    createState: () => ({ hasForgotten: false, given: new Set<string>() }),
    replaceRequest({ request, isTriggered, state }) {
      if (isTriggered) {
        state.hasForgotten = true;
        state.given.clear();
      }
      const cursor = resolveAlias(request.cursor);
      return state.hasForgotten && cursor !== undefined && !state.given.has(cursor) ? refuseCursor() : undefined;
    },
    changePage({ cursor }, { state }) {
      if (state.hasForgotten && cursor !== null) state.given.add(resolveAlias(cursor) ?? '');
      return false;
    },
  }),
  'empty-page': defineFault({
    description: 'An empty page with a new cursor, which returns the requested page. Never two in a row.',
    outcome: 'same',
    changePage(page, { request: { cursor }, rule }) {
      if (decodeAliases(cursor).some((alias) => alias.rule.startsWith('empty-page'))) return false;
      page.items = [];
      page.cursor = encodeAlias({ rule, target: cursor ?? null, value: 1 });
      return true;
    },
  }),
  'endless-empty': defineFault({
    description: 'The last page has a cursor, too, and endless empty pages with cursors follow it.',
    outcome: 'same',
    options: {
      cursor: oneOf(['new', 'same'], 'new', 'new (each empty page has another cursor) or same'),
    },
    createState: () => ({}),
    changePage(page, { request: { cursor }, isTriggered, rule, options }) {
      const alias = findAlias(cursor, rule);
      if (!alias && (!isTriggered || page.cursor !== null || page.items.length === 0)) return false;
      const next = encodeAlias({ rule, target: null, value: (alias?.value ?? 0) + 1 });
      if (alias) page.items = [];
      page.cursor = alias && options.cursor === 'same' ? cursor! : next;
      return true;
    },
  }),
  // Last, since the others expect the cursor in its documented place.
  ...cursorShapeRows,
});
