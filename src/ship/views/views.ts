import type { FactTableName } from '../facts/fact-tables.ts';

/** Views by name, each with its query. A view uses only those before it. Names with an underscore are parts of others. */
export type Views = Readonly<Record<string, string>>;

/** Returns what the text after `from` is for the facts of a table, forgotten accounts included. */
export type FactSource = (table: FactTableName) => string;

/** Where an engine finds facts. */
export interface FactPlace {
  /** Statements before the views. */
  readonly prelude: readonly string[];
  readonly source: FactSource;
}
