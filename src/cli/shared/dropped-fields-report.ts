import type { DroppedValues } from '../../analysis/quality/dropped-fields.ts';
import { plural } from '../terminal/format.ts';
import { sameDatabase } from './command-hints.ts';

/** So many fields are named. */
const NAMED = 5;

/** Which fields could not be read, in a sentence. */
export function droppedInWords(dropped: readonly DroppedValues[]): string {
  const byField = new Map<string, number>();
  for (const { field, values } of dropped) byField.set(field, (byField.get(field) ?? 0) + values);
  const fields = [...byField].map(([field, values]) => `${field} (${plural(values, 'value')})`);
  const more = fields.length > NAMED ? [`${fields.length - NAMED} more`] : [];
  const named = [...fields.slice(0, NAMED), ...more].join(', ');
  return sameDatabase(
    `${plural(fields.length, 'field')} could not be read, and ${fields.length === 1 ? 'is' : 'are'} left out of the rows: ${named}; see \`trawl rejects\``,
  );
}
