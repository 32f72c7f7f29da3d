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

/** The facts of a store from an entry on. */
export interface ShippedFacts {
  readonly content: LakeContent;
  readonly store: string;
  /** The entry of its last snapshot. */
  readonly from: number;
  /** New numbers of its crawls; those of the facts if absent. */
  readonly crawlIds?: ReadonlyMap<number, number> | undefined;
}

const CRAWL_COLUMNS = ['crawl_id', 'parent_id', 'root_id'];

/** Gives a fact the new numbers of its crawls, in place; null for a crawl that no fact is about. Returns the fact. */
export function renumber(fact: NamedFact, crawlIds: ReadonlyMap<number, number> | undefined): NamedFact {
  if (!crawlIds) return fact;
  const columns = fact as Record<string, Fact[number]>;
  for (const column of CRAWL_COLUMNS)
    if (column in columns) columns[column] = crawlIds.get(columns[column] as number) ?? null;
  return fact;
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
  { content, store, from, crawlIds }: ShippedFacts,
  table: FactTableName,
): AsyncGenerator<NamedFact, void, undefined> {
  const toNamed = nameColumns(table);
  const entryAt = Object.keys(COMMON_COLUMNS).indexOf('entry');
  for (const part of await content.listParts(table, store)) {
    if (part.last < from) continue;
    for await (const facts of part.read())
      for (const fact of facts) if ((fact[entryAt] as number) >= from) yield renumber(toNamed(fact), crawlIds);
  }
}

/** Returns entries in their order: the tables are read side by side. */
async function* readEntries(facts: ShippedFacts): AsyncGenerator<Entry, void, undefined> {
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
    yield { entry, facts: shown };
  }
}

/** Columns with the time of an entry, those of its transaction first. */
const TIMES = ['committed_at', 'recorded_at', 'sent_at', 'erased_at', 'seen_at'];

/** When an entry was recorded, milliseconds UTC; 0 if it does not say. */
function timeOf({ facts }: Entry): number {
  for (const column of TIMES)
    for (const [fact] of facts.values()) if (typeof fact?.[column] === 'number') return fact[column];
  return 0;
}

/** Returns the entries of stores after their snapshots, oldest first: those of a store in their order. */
export async function* readShippedEntries(sources: readonly ShippedFacts[]): AsyncGenerator<Entry, void, undefined> {
  const readers = sources.map((facts) => ({ entries: readEntries({ ...facts, from: facts.from + 1 }), at: 0 }));
  const heads = new Map<(typeof readers)[number], Entry>();
  const advance = async (reader: (typeof readers)[number]): Promise<void> => {
    const { value } = await reader.entries.next();
    if (!value) return void heads.delete(reader);
    // The clock of a store may have been put back.
    reader.at = Math.max(reader.at, timeOf(value));
    heads.set(reader, value);
  };
  for (const reader of readers) await advance(reader);
  while (heads.size > 0) {
    const oldest = readers.filter((reader) => heads.has(reader)).reduce((a, b) => (b.at < a.at ? b : a));
    yield heads.get(oldest)!;
    await advance(oldest);
  }
}
