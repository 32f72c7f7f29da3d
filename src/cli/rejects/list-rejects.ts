import { type DroppedFieldGroup, readDroppedFields } from '#analysis/quality/dropped-fields.ts';
import { groupRejects } from '#analysis/quality/rejected-items.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import { pluralize, print, printJson, printNote, renderTable, formatDay } from '#cli/terminal/print.ts';

/** Prints rejected items and dropped fields. */
export async function listRejects({ db: path, json }: CommonOptions): Promise<void> {
  const [rejected, dropped] = await readStore(path, (db) => [groupRejects(db), readDroppedFields(db)] as const);
  if (json) return printJson({ rejects: rejected, droppedFields: dropped });
  const groups = [
    ...(rejected.length > 0 ? [renderGroups(rejected, 'items')] : []),
    ...(dropped.length > 0 ? [`Unreadable fields, left out of stored items:\n${renderGroups(dropped, 'values')}`] : []),
  ];
  if (groups.length === 0) return printNote('no rejected items');
  print(groups.join('\n\n'));
  const expired = rejected.reduce((sum, { items, readable }) => sum + items - readable, 0);
  if (expired > 0) printNote(`${pluralize(expired, 'item is', 'items are')} on pages whose bodies are not stored`);
}

function renderGroups<K extends 'items' | 'values'>(
  groups: readonly (Omit<DroppedFieldGroup, 'values'> & Readonly<Record<K, number>>)[],
  counted: K,
): string {
  const rows = groups.map((group) => [
    group.endpoint,
    group.field,
    group.reason,
    group[counted],
    formatDay(group.firstAt),
    formatDay(group.lastAt),
    group.sample.slice(0, 60),
  ]);
  return renderTable(['endpoint', 'field', 'reason', counted, 'first', 'last', 'sample'], rows);
}
