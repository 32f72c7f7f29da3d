import type { FactLine } from '#lake/files/fact-file.ts';
import type { LakeContent } from '#lake/files/lake-content.ts';
import { type Fact, FACT_TABLES, type FactTableName } from '#store/outbox/fact-tables.ts';

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

/** Returns the lines of a store in the order of their entries, but for those whose facts are all forgotten. */
export async function* readFactLines({
  content,
  store,
  from,
}: ShippedFacts): AsyncGenerator<FactLine, void, undefined> {
  for (const part of await content.listParts(store)) {
    if (part.last < from) continue;
    for await (const line of part.read()) if (line.entry >= from && Object.keys(line.facts).length > 0) yield line;
  }
}

const COLUMNS = Object.fromEntries(
  Object.entries(FACT_TABLES).map(([table, { columns }]) => [table, Object.keys(columns)]),
);

/** Returns the facts of a line by table, by the names of their columns. Missing columns at their end are null. */
export const nameFacts = (store: string, { entry, crawlId, facts }: FactLine): Map<FactTableName, NamedFact[]> =>
  new Map(
    (Object.entries(facts) as [FactTableName, readonly Fact[]][]).map(([table, rows]) => [
      table,
      rows.map((fact) => {
        const named: Record<string, Fact[number]> = { store, entry, crawl_id: crawlId };
        for (const [i, column] of COLUMNS[table]!.entries()) named[column] = fact[i] ?? null;
        return named as NamedFact;
      }),
    ]),
  );

/** Columns with the time of an entry, those of its transaction first. */
const TIMES = ['committed_at', 'recorded_at', 'sent_at', 'erased_at', 'seen_at'];

/** When something was recorded, milliseconds UTC; 0 if no fact says. */
export function timeOf(facts: readonly (NamedFact | undefined)[]): number {
  for (const column of TIMES) for (const fact of facts) if (typeof fact?.[column] === 'number') return fact[column];
  return 0;
}

/** Returns the entries of stores, oldest first: those of a store in their order. */
export async function* readShippedEntries(sources: readonly ShippedFacts[]): AsyncGenerator<Entry, void, undefined> {
  const readers = sources.map((source) => ({ store: source.store, lines: readFactLines(source), at: 0 }));
  const heads = new Map<(typeof readers)[number], Omit<Entry, 'at'>>();
  const advance = async (reader: (typeof readers)[number]): Promise<void> => {
    const { value } = await reader.lines.next();
    if (!value) return void heads.delete(reader);
    const { store } = reader;
    const facts = nameFacts(store, value);
    // The clock of a store may have been put back.
    reader.at = Math.max(reader.at, timeOf(Array.from(facts.values(), ([fact]) => fact)));
    heads.set(reader, { store, entry: value.entry, facts });
  };
  for (const reader of readers) await advance(reader);
  while (heads.size > 0) {
    const oldest = readers.filter((reader) => heads.has(reader)).reduce((a, b) => (b.at < a.at ? b : a));
    yield { ...heads.get(oldest)!, at: oldest.at };
    await advance(oldest);
  }
}
