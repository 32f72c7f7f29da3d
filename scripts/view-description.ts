/** The data dictionary's text for a view or virtual table. */
export interface ViewDescription {
  readonly summary: string;
  /** A sentence for each column. Without it, the dictionary only names the columns. */
  readonly columns?: Readonly<Record<string, string>>;
}

/** The end of a sentence about a handle. */
export const HANDLE = 'compared without regard to case';
