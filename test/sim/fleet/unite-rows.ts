import { type DealtFact, STORES } from './deal-facts.ts';
import type { FleetEngine } from './fleet-engine.ts';

/**
 * Returns the rows of a view as a union of the rows of three stores, each of which has derived them from its own facts: of two
 * rows about the same account or edge, the one that was seen later.
 */
export async function uniteRows(
  engine: FleetEngine,
  facts: readonly DealtFact[],
  {
    view,
    columns,
    key,
  }: { readonly view: string; readonly columns: readonly string[]; readonly key: readonly string[] },
): Promise<unknown[][]> {
  const united = new Map<string, unknown[]>();
  const keyOf = (row: readonly unknown[]): string => JSON.stringify(key.map((name) => row[columns.indexOf(name)]));
  const seenAt = (row: readonly unknown[]): string => row[columns.indexOf('last_seen_at')] as string;
  for (let store = 0; store < STORES; store += 1) {
    await engine.clear();
    await engine.load(facts.filter(({ values: [name] }) => (name as string).endsWith(`-${store}`)));
    for (const row of await engine.read(view, columns)) {
      const other = united.get(keyOf(row));
      if (other === undefined || seenAt(row) > seenAt(other)) united.set(keyOf(row), row);
    }
  }
  return [...united.values()];
}
