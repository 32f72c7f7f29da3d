import { isObject, readPath } from './json-body.ts';

/**
 * Reads the cursor of a page (spec, Pagination; invariant 4). A cursor can occur in several places. Each value is read
 * by this table:
 *
 *   a non-empty string, or a safe non-negative integer   -> next page, if `cursorType` is absent or `Bottom`
 *   absent, null, "", an object whose value is null or "",
 *   an object of type `Bottom` without a value           -> no cursor: the end, unless another place holds one
 *   `cursorType` `Top`                                   -> ignored
 *   another `cursorType`                                 -> ignored if there is a `Bottom` cursor, else unreadable
 *   anything else                                        -> unreadable
 *
 * The documented place has priority, then the other documented form, `content.itemContent`, `content.operation.cursor`
 * and a bare `cursor`. A cursor that is followed from an undocumented place or type counts as drift.
 */

/** The cursor of a page: that of another page, the end of the list, or unreadable. */
export type PageCursor =
  | { readonly type: 'next'; readonly value: string }
  | { readonly type: 'end' | 'unreadable'; readonly value: null };

export const LIST_END: PageCursor = { type: 'end', value: null };
export const UNREADABLE_CURSOR: PageCursor = { type: 'unreadable', value: null };

/** A deviation from the specification, by the name under which it is counted. */
export interface Drift {
  readonly field: string;
  readonly sample: unknown;
}

export const CURSOR_DRIFT = {
  unreadable: 'cursor (unreadable)',
  conflict: 'cursor (two that differ)',
  place: 'cursor (undocumented place)',
  number: 'cursor (a number)',
  type: 'cursor (unknown type)',
} as const;

/** The priority of each place; the lowest number wins. */
const RANKS = { documented: 0, otherForm: 1, itemContent: 2, operation: 3, bare: 4 } as const;
type Rank = (typeof RANKS)[keyof typeof RANKS];

interface Slot {
  readonly path: string;
  readonly sample: unknown;
  readonly rank: Rank;
  readonly read: 'next' | 'none' | 'top' | 'other' | 'unreadable';
  readonly isBottom: boolean;
  readonly value?: string;
  readonly isNumber?: boolean;
}

const BOTTOM_ENTRY = /^cursor-bottom-/;
const CURSOR_ENTRY = /^cursor-([^-]*)/;
/** Undocumented places of a cursor in the content of an entry. */
const NESTED = [
  ['itemContent', RANKS.itemContent],
  ['operation.cursor', RANKS.operation],
] as const;
const CURSOR_TYPENAME = 'TimelineTimelineCursor';

/** Returns whether an entry without an item is a cursor, by its id or its content. */
export function isCursorEntry(entryId: string, content: unknown): boolean {
  if (CURSOR_ENTRY.test(entryId)) return true;
  const parts = [content, ...NESTED.map(([place]) => readPath(content, place))];
  return parts.some(
    (part) =>
      isObject(part) &&
      (part['cursorType'] !== undefined ||
        part['entryType'] === CURSOR_TYPENAME ||
        part['__typename'] === CURSOR_TYPENAME),
  );
}

/**
 * Collects the cursors of a page and decides which one applies.
 * @param documented the form that the spec documents for the endpoint; with `none`, both forms count as documented
 */
export function createCursorReader(documented: 'entry' | 'object' | 'none') {
  const slots: Slot[] = [];
  return {
    /** Adds the field `cursor` of an instruction, or of an object around the list. */
    addField(path: string, cursor: unknown, isInstruction: boolean): void {
      if (cursor === undefined) return;
      const isBare = typeof cursor === 'string' || typeof cursor === 'number';
      const form = isInstruction && documented !== 'entry' ? RANKS.documented : RANKS.otherForm;
      slots.push({ path, sample: cursor, rank: isBare ? RANKS.bare : form, ...readSlot(cursor, undefined) });
    },
    /** Adds a cursor entry. `isListed` is false for an entry that is an instruction's only one. */
    addEntry(path: string, entryId: string, content: unknown, isListed: boolean): void {
      const isDocumented = isListed && documented !== 'object' && BOTTOM_ENTRY.test(entryId);
      const rank = isDocumented ? RANKS.documented : RANKS.otherForm;
      slots.push(...slotsOfContent(path, content, typeOfId(entryId), rank));
    },
    slots,
  };
}

/** The type by the entry's id, such as `cursor-top-1`. An id without a type gives undefined. */
function typeOfId(entryId: string): string | undefined {
  const [, name] = CURSOR_ENTRY.exec(entryId) ?? [];
  if (name === undefined) return undefined;
  return { bottom: 'Bottom', top: 'Top' }[name.toLowerCase()] ?? name;
}

/** Returns the cursor slots of an entry: its content, which is the documented place, and nested ones. */
function slotsOfContent(path: string, content: unknown, type: string | undefined, rank: Rank): Slot[] {
  if (!isObject(content)) {
    return [{ path: `${path}/content`, sample: content, rank: RANKS.bare, ...readSlot(content, type) }];
  }
  const contentType = content['cursorType'] ?? type;
  const nested = NESTED.flatMap(([place, nestedRank]): Slot[] => {
    const value = readPath(content, place);
    if (value == null) return [];
    const nestedPath = `${path}/content/${place.replaceAll('.', '/')}`;
    return [{ path: nestedPath, sample: value, rank: nestedRank, ...readSlot(value, contentType) }];
  });
  // If a nested place holds a cursor, the documented place may be empty.
  if (nested.length > 0 && content['value'] === undefined) return nested;
  return [{ path: `${path}/content`, sample: content, rank, ...readSlot(content, type) }, ...nested];
}

/** Reads one value by the table above. @param type the type of the value if it does not name one. */
function readSlot(found: unknown, type: unknown): Pick<Slot, 'read' | 'isBottom' | 'value' | 'isNumber'> {
  const [value, ownType] = isObject(found) ? [found['value'], found['cursorType'] ?? type] : [found, type];
  const isBottom = ownType === 'Bottom';
  if (ownType === 'Top') return { read: 'top', isBottom };
  // Only an object that names its type can mean the end by lacking a value.
  const isAbsent = value === undefined && (!isObject(found) || found['cursorType'] === 'Bottom');
  if (isAbsent || value === null || value === '') return { read: 'none', isBottom };
  if (ownType != null && !isBottom) return { read: 'other', isBottom };
  if (typeof value === 'string') return { read: 'next', isBottom, value };
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
    return { read: 'next', isBottom, value: String(value), isNumber: true };
  return { read: 'unreadable', isBottom };
}

/** Returns the cursor of a page and its deviations. */
export function decideCursor(slots: readonly Slot[]): {
  readonly cursor: PageCursor;
  readonly drift: readonly Drift[];
} {
  const drift: Drift[] = [];
  const addDrift = (name: keyof typeof CURSOR_DRIFT, ...seen: readonly Slot[]): void => {
    const samples = seen.map(({ path, sample }) => ({ at: path, is: sample }));
    drift.push({ field: CURSOR_DRIFT[name], sample: samples.length > 1 ? samples : samples[0] });
  };
  const [nextSlots = [], unreadable = [], otherTypes = []] = (['next', 'unreadable', 'other'] as const).map((read) =>
    slots.filter((slot) => slot.read === read),
  );

  const preferredSlot = selectSlot(nextSlots);
  const isDocumentedUnreadable = unreadable.some(isDocumented);
  const chosen = preferredSlot && (isDocumented(preferredSlot) || !isDocumentedUnreadable) ? preferredSlot : undefined;
  if (chosen?.value !== undefined) {
    const conflicting = [...nextSlots.filter(({ value }) => value !== chosen.value), ...unreadable];
    if (conflicting.length > 0) addDrift('conflict', chosen, ...conflicting);
    if (otherTypes.length > 0) addDrift('type', ...otherTypes);
    if (!isDocumented(chosen)) addDrift('place', chosen);
    if (chosen.isNumber) addDrift('number', chosen);
    return { cursor: { type: 'next', value: chosen.value }, drift };
  }
  // A cursor of another type is ignored only if a `Bottom` cursor marks the end.
  const isEnd = slots.some(({ read, isBottom }) => read === 'none' && isBottom);
  if (unreadable.length > 0 || (otherTypes.length > 0 && !isEnd)) {
    addDrift('unreadable', ...unreadable, ...otherTypes);
    return { cursor: UNREADABLE_CURSOR, drift };
  }
  if (otherTypes.length > 0) addDrift('type', ...otherTypes);
  return { cursor: LIST_END, drift };
}

const isDocumented = ({ rank }: Slot): boolean => rank === RANKS.documented;

/** Returns the slot with the highest priority. Of several, the last that names its type wins, else the last. */
function selectSlot(found: readonly Slot[]): Slot | undefined {
  const lowestRank = Math.min(...found.map(({ rank }) => rank));
  const candidates = found.filter(({ rank }) => rank === lowestRank);
  return candidates.findLast(({ isBottom }) => isBottom) ?? candidates.at(-1);
}
