import { endpointTable } from '../../../service/contract/endpoints.ts';
import type { JsonObject } from '../../../service/contract/read-json.ts';
import { encodeAlias } from '../definition/cursor-aliases.ts';
import { oneOf } from '../definition/fault-options.ts';
import { makeCursorEntry, type FaultPage, type PlacedCursors } from '../definition/fault-page.ts';
import { atEndpoints, defineFault } from '../definition/fault-row.ts';

/** Cursors in undocumented forms and places. */

export const PAGED = ['user-tweets', 'followers', 'following'] as const;

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

export const cursorShapeRows = atEndpoints(PAGED, {
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
