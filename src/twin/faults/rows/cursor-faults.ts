import { endpointTable } from '#service/contract/endpoints.ts';
import type { JsonObject } from '#service/contract/json-body.ts';
import { decodeAliases, encodeAlias, findAlias, resolveAlias } from '#twin/faults/definition/cursor-aliases.ts';
import { integer, oneOf } from '#twin/faults/definition/fault-options.ts';
import { makeCursorEntry, type FaultPage, type PlacedCursors } from '#twin/faults/definition/fault-page.ts';
import { createProblem, type FaultAnswer, atEndpoints, defineFault } from '#twin/faults/definition/fault-row.ts';

/** Cursors in undocumented forms and places. */

/** Endpoints with a documented cursor. */
export const PAGED = Object.values(endpointTable).flatMap(({ name, cursor }) => (cursor === 'none' ? [] : name));

/** Unreadable cursors by form. */
const UNREADABLE_FORMS: Readonly<Record<string, (value: string) => JsonObject>> = {
  object: (value) => ({ value: { value }, cursorType: 'Bottom' }),
  empty: () => ({}),
  array: (value) => ({ value: [value], cursorType: 'Bottom' }),
  boolean: () => ({ value: true, cursorType: 'Bottom' }),
  fraction: () => ({ value: 1.5, cursorType: 'Bottom' }),
  'unknown-type': (value) => ({ value, cursorType: 'Gap' }),
};

/** Cursors in undocumented places. */
const PLACEMENTS: Readonly<Record<string, (value: string, form: 'entry' | 'object') => PlacedCursors>> = {
  'other-form': (value, form) =>
    form === 'entry' ? { besideEntries: bottomCursor(value) } : { entries: [makeCursorEntry(value, '0')] },
  'item-content': (value) => ({ entries: [makeCursorEntry(value, '0', { itemContent: bottomCursor(value) })] }),
  operation: (value) => ({ entries: [makeCursorEntry(value, '0', { operation: { cursor: bottomCursor(value) } })] }),
  bare: (value) => ({ besideEntries: value }),
};

const bottomCursor = (value: string): JsonObject => ({ value, cursorType: 'Bottom' });

/** Returns the form that the interface documents for an endpoint. */
const formOf = ({ endpoint }: FaultPage): 'entry' | 'object' =>
  endpointTable[endpoint].cursor === 'entry' ? 'entry' : 'object';

/** Puts an object in the documented place. */
const placeDocumented = (page: FaultPage, object: JsonObject): PlacedCursors =>
  formOf(page) === 'entry' ? { entries: [makeCursorEntry(undefined, '0', object)] } : { besideEntries: object };

const cursorShapeRows = atEndpoints(PAGED, {
  'unreadable-cursor': defineFault({
    description: 'The cursor of the next page has an unreadable form.',
    outcome: 'stopped',
    options: { form: oneOf(Object.keys(UNREADABLE_FORMS), 'object') },
    changePage(page, { options: { form } }) {
      if (page.cursor === null) return false;
      page.placeCursors(placeDocumented(page, UNREADABLE_FORMS[form]!(page.cursor)));
      return true;
    },
  }),
  'misplaced-cursor': defineFault({
    description: 'The cursor is in an undocumented place.',
    outcome: 'same',
    options: { place: oneOf(Object.keys(PLACEMENTS), 'other-form') },
    changePage(page, { options: { place } }) {
      if (page.cursor === null) return false;
      page.placeCursors(PLACEMENTS[place]!(page.cursor, formOf(page)));
      return true;
    },
  }),
  'top-cursor': defineFault({
    description: 'An instruction of its own has a cursor of type Top, which leads back to the start of the list.',
    outcome: 'same',
    changePage(page, { rule }) {
      const top = { value: encodeAlias({ rule, target: null, value: 0 }), cursorType: 'Top' };
      const entry = { ...makeCursorEntry(undefined, '9', top), entryId: 'cursor-top-9' };
      page.placeCursors({ instructions: [{ entries: [entry], cursor: top }] });
      return true;
    },
  }),
  'conflicting-cursors': defineFault({
    description:
      'Besides the cursor of the next page, one in an undocumented place leads back to the start of the list.',
    outcome: 'same',
    changePage(page, { rule }) {
      const { cursor } = page;
      if (cursor === null) return false;
      const other = PLACEMENTS['other-form']!(encodeAlias({ rule, target: null, value: 0 }), formOf(page));
      page.placeCursors({ ...placeDocumented(page, bottomCursor(cursor)), ...other });
      return true;
    },
  }),
});

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
