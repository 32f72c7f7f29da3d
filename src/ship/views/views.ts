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
  /** Where tables with the rows of views are created; where the views are by default. */
  readonly tables?: TablePlace;
}

/** A place for tables beside that of views. */
export interface TablePlace {
  /** Statements before the tables. */
  readonly prelude: readonly string[];
  /** Statements that replace earlier tables by those that were created. */
  readonly replace: (names: readonly string[]) => readonly string[];
}
