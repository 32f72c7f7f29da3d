import type { TWEET_ORDERS } from '#analysis/find/tweet-search-sql.ts';
import type { USER_ORDERS } from '#analysis/find/user-search-sql.ts';
import type { PseudonymOptions } from '#cli/export/pseudonym-options.ts';

export type SortName = keyof typeof TWEET_ORDERS | keyof typeof USER_ORDERS;

export interface FindOptions extends PseudonymOptions {
  readonly db: string;
  readonly users?: true;
  readonly sort?: SortName;
  readonly limit?: number;
  readonly includeDeleted?: true;
  readonly format?: string;
  readonly json?: true;
  readonly output?: string;
}
