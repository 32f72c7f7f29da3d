import { desc, sql } from 'drizzle-orm';
import { tweets } from '../../store/schema/tables.ts';
import type { PagePosition } from './cursors.ts';

/** Above every tweet: where a list that is read newest first starts. */
export const START_OF_LIST: PagePosition = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/** A tweet whose time is unknown has no place in a list by time: no comparison with null holds, so it is never served. */
export const isBelowPosition = sql`(${tweets.createdAt}, ${tweets.id}) < (${sql.placeholder('createdAt')}, ${sql.placeholder('id')})`;

/** Of several tweets at the same millisecond the one stored last comes first. */
export const newestFirstOrder = [desc(tweets.createdAt), desc(tweets.id)];
