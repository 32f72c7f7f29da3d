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
  readonly store: string;
  readonly entry: number;
  /** When it was recorded, milliseconds UTC. */
  readonly at: number;
  readonly facts: ReadonlyMap<FactTableName, readonly NamedFact[]>;
}

/** The facts of a store from an entry on. */
export interface ShippedFacts {
  readonly content: LakeContent;
  readonly store: string;
  readonly from: number;
}

const nameColumns = (table: FactTableName) => {
  const columns = Object.keys({ ...COMMON_COLUMNS, ...FACT_TABLES[table].columns });
  return (fact: Fact): NamedFact => {
    const named: Record<string, Fact[number]> = {};
    for (let i = 0; i < columns.length; i += 1) named[columns[i]!] = fact[i] ?? null;
    return named as NamedFact;
  };
};

/** Returns the facts of a table in the order of their entries. */
export async function* readFacts(
  { content, store, from }: ShippedFacts,
  table: FactTableName,
): AsyncGenerator<NamedFact, void, undefined> {
  const toNamed = nameColumns(table);
  const entryAt = Object.keys(COMMON_COLUMNS).indexOf('entry');
  for (const part of await content.listParts(table, store)) {
    if (part.last < from) continue;
    for await (const facts of part.read())
      for (const fact of facts) if ((fact[entryAt] as number) >= from) yield toNamed(fact);
  }
}

/** Returns entries in their order: the tables are read side by side. */
async function* readEntries(facts: ShippedFacts): AsyncGenerator<Omit<Entry, 'at'>, void, undefined> {
  const readers = FACT_TABLE_NAMES.map((table) => ({ table, facts: readFacts(facts, table) }));
  const heads = new Map<FactTableName, NamedFact>();
  const advance = async ({ table, facts }: (typeof readers)[number]): Promise<void> => {
    const { value } = await facts.next();
    if (value) heads.set(table, value);
    else heads.delete(table);
  };
  for (const reader of readers) await advance(reader);
  while (heads.size > 0) {
    const entry = Math.min(...Array.from(heads.values(), (fact) => fact['entry'] as number));
    const shown = new Map<FactTableName, NamedFact[]>();
    for (const reader of readers) {
      for (let head = heads.get(reader.table); head && head['entry'] === entry; head = heads.get(reader.table)) {
        const known = shown.get(reader.table);
        if (known) known.push(head);
        else shown.set(reader.table, [head]);
        await advance(reader);
      }
    }
    yield { store: facts.store, entry, facts: shown };
  }
}

/** Columns with the time of an entry, those of its transaction first. */
const TIMES = ['committed_at', 'recorded_at', 'sent_at', 'erased_at', 'seen_at'];

/** When something was recorded, milliseconds UTC; 0 if no fact says. */
export function timeOf(facts: readonly (NamedFact | undefined)[]): number {
  for (const column of TIMES) for (const fact of facts) if (typeof fact?.[column] === 'number') return fact[column];
  return 0;
}

/** Returns the entries of stores, oldest first: those of a store in their order. */
export async function* readShippedEntries(sources: readonly ShippedFacts[]): AsyncGenerator<Entry, void, undefined> {
  const readers = sources.map((facts) => ({ entries: readEntries(facts), at: 0 }));
  const heads = new Map<(typeof readers)[number], Omit<Entry, 'at'>>();
  const advance = async (reader: (typeof readers)[number]): Promise<void> => {
    const { value } = await reader.entries.next();
    if (!value) return void heads.delete(reader);
    // The clock of a store may have been put back.
    reader.at = Math.max(reader.at, timeOf(Array.from(value.facts.values(), ([fact]) => fact)));
    heads.set(reader, value);
  };
  for (const reader of readers) await advance(reader);
  while (heads.size > 0) {
    const oldest = readers.filter((reader) => heads.has(reader)).reduce((a, b) => (b.at < a.at ? b : a));
    yield { ...heads.get(oldest)!, at: oldest.at };
    await advance(oldest);
  }
}
