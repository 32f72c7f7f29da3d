/** The data dictionary's text for a view or virtual table. */
export interface ViewDescription {
  readonly summary: string;
  /** A sentence for each column. Without it, the dictionary only names the columns. */
  readonly columns?: Readonly<Record<string, string>>;
}

/** The end of a sentence about a handle. */
export const HANDLE = 'compared without regard to case';

/** Names columns that have an index. */
export const indexed = (...columns: readonly string[]): string => {
  const names = columns.map((column) => `\`${column}\``);
  return `Conditions on ${names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`} use an index.`;
};
