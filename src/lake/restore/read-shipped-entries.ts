import type { LakeContent } from '#lake/files/lake-content.ts';
import {
  COMMON_COLUMNS,
  type Fact,
  FACT_TABLES,
  FACT_TABLE_NAMES,
  type FactTableName,
} from '#store/outbox/fact-tables.ts';

/** A fact by the names of its columns, with its crawl. */
export type NamedFact = Readonly<Record<string, string | number | boolean | null>> & {
  readonly crawl_id: number | null;
};

/** The facts of an entry by table, in the order in which they were recorded. */
export interface Entry {
  readonly entry: number;
  readonly facts: ReadonlyMap<FactTableName, readonly NamedFact[]>;
}

const nameColumns = (table: FactTableName) => {
  const columns = Object.keys({ ...COMMON_COLUMNS, ...FACT_TABLES[table].columns });
  return (fact: Fact): NamedFact => {
    const named: Record<string, Fact[number]> = {};
    for (let i = 0; i < columns.length; i += 1) named[columns[i]!] = fact[i] ?? null;
    return named as NamedFact;
  };
};

/** Returns the facts of a table and a store from an entry on, in the order of their entries. */
export async function* readFacts(
  content: LakeContent,
  { table, store, from }: { readonly table: FactTableName; readonly store: string; readonly from: number },
): AsyncGenerator<NamedFact, void, undefined> {
  const toNamed = nameColumns(table);
  const entryAt = Object.keys(COMMON_COLUMNS).indexOf('entry');
  for (const part of await content.listParts(table, store)) {
    if (part.last < from) continue;
    for await (const facts of part.read())
      for (const fact of facts) if ((fact[entryAt] as number) >= from) yield toNamed(fact);
  }
}

/** Returns the entries of a store from one on, in their order: the tables are read side by side. */
export async function* readShippedEntries(
  content: LakeContent,
  store: string,
  from: number,
): AsyncGenerator<Entry, void, undefined> {
  const readers = FACT_TABLE_NAMES.map((table) => ({ table, facts: readFacts(content, { table, store, from }) }));
  const heads = new Map<FactTableName, NamedFact>();
  const advance = async ({ table, facts }: (typeof readers)[number]): Promise<void> => {
    const { value } = await facts.next();
    if (value) heads.set(table, value);
    else heads.delete(table);
  };
  for (const reader of readers) await advance(reader);
  while (heads.size > 0) {
    const entry = Math.min(...Array.from(heads.values(), (fact) => fact['entry'] as number));
    const facts = new Map<FactTableName, NamedFact[]>();
    for (const reader of readers) {
      for (let head = heads.get(reader.table); head && head['entry'] === entry; head = heads.get(reader.table)) {
        const known = facts.get(reader.table);
        if (known) known.push(head);
        else facts.set(reader.table, [head]);
        await advance(reader);
      }
    }
    yield { entry, facts };
  }
}
