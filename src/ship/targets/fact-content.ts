import type { Fact, FactTableName } from '../facts/fact-tables.ts';

/** Facts of a table that are read, and replaced, together: a file of a lake. */
export interface FactPart {
  /** For progress. */
  readonly name: string;
  /** Its last entry, or a later one. */
  readonly last: number;
  /** Returns its facts with their common columns, some at a time. */
  read(): AsyncIterable<readonly Fact[]>;
  /** Replaces its facts at once: readers see either the old or the new ones. A change returns undefined for a fact that goes. */
  replace(change: (fact: Fact) => Fact | undefined): Promise<void>;
}

/** The facts of a target that count: what was sealed. */
export interface FactContent extends AsyncDisposable {
  /** What a part is, in words: one, and several. */
  readonly partName: readonly [one: string, several: string];
  /** Takes the lock of the process that changes them; undefined if another process has it. */
  lock(): Disposable | undefined;
  /** Returns the parts of a table, in the order of their entries. @param store only facts of this store */
  listParts(table: FactTableName, store?: string): Promise<readonly FactPart[]>;
}
