import type { MissingField } from '#analysis/quality/missing-fields.ts';
import type { UnusualField } from '#analysis/quality/unreadable-fields.ts';
import { formatDay, formatPercent } from '#base/units.ts';
import { CURSOR_DRIFT } from '#service/contract/read-cursor.ts';

/** Changes of the service's fields and cursors, in words. */

/** The start of a sample, cut after a whole value if there is one. */
const cutSample = (sample: string, length: number): string =>
  sample.length <= length ? sample : `${/^.*[\s,}\]]/s.exec(sample.slice(0, length))?.[0] ?? sample.slice(0, length)}…`;

export const describeMissingField = ({ endpoint, field, since, was }: MissingField): string =>
  `${endpoint} has not sent ${field} since ${formatDay(since)} (before, ${formatPercent(was)} of items had it)`;

export const describeUnreadableField = ({ endpoint, field, lastSeen, sample }: UnusualField): string =>
  `${endpoint} sends ${field} in an unreadable form, last on ${formatDay(lastSeen)}: ${cutSample(sample, 60)}`;

/** Unusual forms of cursors, and what they mean for the lists of their endpoint. */
const CURSOR_FORMS: Readonly<Record<string, readonly [form: string, effect: string]>> = {
  [CURSOR_DRIFT.unreadable]: ['an unreadable cursor', 'its lists are stored up to that cursor, and are not complete'],
  [CURSOR_DRIFT.conflict]: ['two cursors that differ on one page', 'the documented one is followed'],
  [CURSOR_DRIFT.place]: ['its cursor in a place that the interface does not document', 'it is followed'],
  [CURSOR_DRIFT.number]: ['a number as a cursor', 'it is followed'],
  [CURSOR_DRIFT.type]: ['a cursor of an unknown type beside the one of type Bottom', 'it is not followed'],
};

/** Whether an unusual form of a cursor ends lists. */
export const isBrokenCursor = ({ field }: Pick<UnusualField, 'field'>): boolean => field === CURSOR_DRIFT.unreadable;

export function describeCursor({ endpoint, field, lastSeen, sample }: UnusualField): string {
  const [form = field, effect = ''] = CURSOR_FORMS[field] ?? [];
  return `${endpoint} sends ${form}, last on ${formatDay(lastSeen)}: ${effect} (${cutSample(sample, 120)})`;
}

/** What an unusual form of a cursor means; undefined for a field of an item. */
export const describeCursorForm = (field: string): string | undefined => CURSOR_FORMS[field]?.join(': ');
