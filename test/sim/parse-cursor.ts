/**
 * The cursor that an answer gives, by the table of values that a cursor may have, and of places where it may stand: written
 * without the code that is tested.
 *
 *   a non-empty string, a safe non-negative integer      the next page, if its type is absent or `Bottom`
 *   absent, null, "", an object whose value is that, or
 *   an object of type `Bottom` without a value           the end, unless another place holds one
 *   type `Top`                                           nothing
 *   another type                                         nothing beside `Bottom`; alone, unreadable
 *   anything else                                        unreadable
 */

/** An unreadable cursor. No real cursor is empty. */
export const UNREADABLE = '';

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface CursorSlot {
  /** Priority: 0 is the documented place. */
  readonly rank: number;
  readonly reads: 'next' | 'end' | 'unreadable' | 'other type';
  readonly cursor: string;
  readonly isBottom: boolean;
}

const FORMS: Readonly<Record<string, 'entry' | 'object'>> = {
  'user-tweets': 'entry',
  followers: 'object',
  following: 'object',
};

/** @param groups the objects that hold entries, with a cursor beside them. */
export function parseCursor(endpoint: string, groups: readonly unknown[]): string | null {
  const slots: CursorSlot[] = [];
  const form = FORMS[endpoint];

  function addValue(value: unknown, type: unknown, rank: number): void {
    if (type === 'Top') return;
    const isOther = type != null && type !== 'Bottom';
    const isNumber = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
    const isEmpty = value === undefined || value === null || value === '';
    const isCursor = typeof value === 'string' || isNumber;
    const reads = isEmpty ? 'end' : isOther ? 'other type' : isCursor ? 'next' : 'unreadable';
    slots.push({ rank, reads, cursor: isCursor ? String(value) : '', isBottom: type === 'Bottom' });
  }
  function addObject(object: Json, type: unknown, rank: number): void {
    const own = object['cursorType'] ?? type;
    if (object['value'] !== undefined) return addValue(object['value'], own, rank);
    if (own === 'Top') return;
    // Without a value, only a cursor of type `Bottom` is the end.
    if (object['cursorType'] === 'Bottom') return addValue(null, own, rank);
    addValue([], own, rank);
  }
  function addCursor(found: unknown, type: unknown, rank: number): void {
    if (isObject(found)) addObject(found, type, rank);
    else addValue(found, type, rank);
  }

  for (const group of groups) {
    if (!isObject(group)) continue;
    const { cursor, entries } = group;
    // A bare text or number is not the documented object.
    const isBare = typeof cursor === 'string' || typeof cursor === 'number';
    if (cursor !== undefined) addCursor(cursor, undefined, isBare ? 4 : form === 'entry' ? 1 : 0);
    for (const entry of Array.isArray(entries) ? (entries as unknown[]) : []) {
      if (!isObject(entry) || !isObject(entry['content'])) continue;
      const { entryId, content } = entry as { entryId: unknown; content: Json };
      const name = /^cursor-(\w*)/.exec(String(entryId))?.[1];
      if (name === undefined || 'tweet' in content || 'user' in content) continue;
      const type = { bottom: 'Bottom', top: 'Top' }[name] ?? name;
      const operation = content['operation'];
      const inner = [content['itemContent'], isObject(operation) ? operation['cursor'] : undefined];
      const isElsewhere = inner.some((one) => one != null);
      for (const [i, one] of inner.entries()) if (one != null) addCursor(one, content['cursorType'] ?? type, 2 + i);
      if (!isElsewhere || content['value'] !== undefined)
        addObject(content, type, form !== 'object' && name === 'bottom' ? 0 : 1);
    }
  }

  const cursors = slots.filter(({ reads }) => reads === 'next');
  const bestRank = Math.min(...cursors.map(({ rank }) => rank));
  const isDocumentedUnreadable = slots.some(({ rank, reads }) => rank === 0 && reads === 'unreadable');
  const parsed = isDocumentedUnreadable && bestRank > 0 ? [] : cursors.filter(({ rank }) => rank === bestRank);
  const chosen = parsed.findLast(({ isBottom }) => isBottom) ?? parsed.at(-1);
  if (chosen) return chosen.cursor;
  const unknown = slots.filter(({ reads }) => reads !== 'end').map(({ reads }) => reads);
  const isEnd = slots.some(({ reads, isBottom }) => reads === 'end' && isBottom);
  return unknown.includes('unreadable') || (unknown.length > 0 && !isEnd) ? UNREADABLE : null;
}
