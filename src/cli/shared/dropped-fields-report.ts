import type { DroppedFieldGroup } from '#analysis/quality/dropped-fields.ts';
import { listFirst } from '#base/text.ts';
import { pluralize, hint } from '#cli/terminal/print.ts';

/** The maximum number of named fields. */
const NAMED = 5;

/** Describes dropped fields in a sentence. */
export function describeDroppedFields(dropped: readonly DroppedFieldGroup[]): string {
  const byField = new Map<string, number>();
  for (const { field, values } of dropped) byField.set(field, (byField.get(field) ?? 0) + values);
  const fields = [...byField].map(([field, values]) => `${field} (${pluralize(values, 'value')})`);
  return `${pluralize(fields.length, 'unreadable field')} left out of the rows: ${listFirst(fields, NAMED)}; see ${hint('rejects')}`;
}
