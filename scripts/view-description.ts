/** The data dictionary's text for a view or virtual table. */
export interface ViewDescription {
  readonly summary: string;
  /** The tables whose columns of the same name it shows: their comments describe these. */
  readonly of?: readonly string[];
  /** A sentence for each other column. Without it, the dictionary only names the columns. */
  readonly columns?: Readonly<Record<string, string>>;
}

/** Names columns that have an index. */
export const indexed = (...columns: readonly string[]): string => {
  const names = columns.map((column) => `\`${column}\``);
  return `Conditions on ${names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`} use an index.`;
};

/** Columns that mean the same in all views, but for those that say otherwise. */
export const COMMON_COLUMNS: Readonly<Record<string, string>> = {
  id: "The store's number: the `rowid` of the full-text tables.",
  rest_id: "The service's id.",
  author_rest_id: 'The id of the author; null if unknown.',
  author: 'The handle of the author.',
  account_rest_id: 'The id of the account.',
  account: 'The handle of the account.',
  follower_rest_id: 'The id of the follower.',
  follower: 'The handle of the follower.',
  followee_rest_id: 'The id of the followed account.',
  followee: 'The handle of the followed account.',
  tag: 'The hashtag in lower case, without `#`.',
  authors: 'The number of their authors.',
  endpoint: 'The endpoint.',
  day: 'The day, such as 2025-01-31.',
  crawl_id: 'The crawl.',
};
