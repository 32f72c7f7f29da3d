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
  readonly says: 'next' | 'end' | 'unreadable' | 'other type';
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
  const voices: CursorSlot[] = [];
  const form = FORMS[endpoint];

  function speak(value: unknown, type: unknown, rank: number): void {
    if (type === 'Top') return;
    const isOther = type != null && type !== 'Bottom';
    const isNumber = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
    const isEmpty = value === undefined || value === null || value === '';
    const isCursor = typeof value === 'string' || isNumber;
    const says = isEmpty ? 'end' : isOther ? 'other type' : isCursor ? 'next' : 'unreadable';
    voices.push({ rank, says, cursor: isCursor ? String(value) : '', isBottom: type === 'Bottom' });
  }
  function speakObject(object: Json, type: unknown, rank: number): void {
    const own = object['cursorType'] ?? type;
    if (object['value'] !== undefined) return speak(object['value'], own, rank);
    if (own === 'Top') return;
    // Without a value, only a cursor of type `Bottom` is the end.
    if (object['cursorType'] === 'Bottom') return speak(null, own, rank);
    speak([], own, rank);
  }
  function hearOne(found: unknown, type: unknown, rank: number): void {
    if (isObject(found)) speakObject(found, type, rank);
    else speak(found, type, rank);
  }

  for (const group of groups) {
    if (!isObject(group)) continue;
    const { cursor, entries } = group;
    // A bare text or number is not the documented object.
    const isBare = typeof cursor === 'string' || typeof cursor === 'number';
    if (cursor !== undefined) hearOne(cursor, undefined, isBare ? 4 : form === 'entry' ? 1 : 0);
    for (const entry of Array.isArray(entries) ? (entries as unknown[]) : []) {
      if (!isObject(entry) || !isObject(entry['content'])) continue;
      const { entryId, content } = entry as { entryId: unknown; content: Json };
      const name = /^cursor-(\w*)/.exec(String(entryId))?.[1];
      if (name === undefined || 'tweet' in content || 'user' in content) continue;
      const type = { bottom: 'Bottom', top: 'Top' }[name] ?? name;
      const operation = content['operation'];
      const inner = [content['itemContent'], isObject(operation) ? operation['cursor'] : undefined];
      const isElsewhere = inner.some((one) => one != null);
      for (const [i, one] of inner.entries()) if (one != null) hearOne(one, content['cursorType'] ?? type, 2 + i);
      if (!isElsewhere || content['value'] !== undefined)
        speakObject(content, type, form !== 'object' && name === 'bottom' ? 0 : 1);
    }
  }

  const cursors = voices.filter(({ says }) => says === 'next');
  const first = Math.min(...cursors.map(({ rank }) => rank));
  const isBroken = voices.some(({ rank, says }) => rank === 0 && says === 'unreadable');
  const parsed = isBroken && first > 0 ? [] : cursors.filter(({ rank }) => rank === first);
  const chosen = parsed.findLast(({ isBottom }) => isBottom) ?? parsed.at(-1);
  if (chosen) return chosen.cursor;
  const unknown = voices.filter(({ says }) => says !== 'end').map(({ says }) => says);
  const isEnd = voices.some(({ says, isBottom }) => says === 'end' && isBottom);
  return unknown.includes('unreadable') || (unknown.length > 0 && !isEnd) ? UNREADABLE : null;
}
