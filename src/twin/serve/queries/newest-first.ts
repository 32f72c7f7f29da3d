import { desc, sql } from 'drizzle-orm';
import { tweets } from '#store/schema/tables.ts';
import type { PagePosition } from './served-cursors.ts';

/** The start of a list that is read newest first. */
export const START_OF_LIST: PagePosition = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/** Tweets without a time are never served in a list: no comparison with null holds. */
export const isBelowPosition = sql`(${tweets.createdAt}, ${tweets.id}) < (${sql.placeholder('createdAt')}, ${sql.placeholder('id')})`;

/** Of tweets at the same millisecond, the one stored last comes first. */
export const newestFirstOrder = [desc(tweets.createdAt), desc(tweets.id)];
