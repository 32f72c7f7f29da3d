import { desc, sql } from 'drizzle-orm';
import { tweets } from '../../store/schema/tables.ts';
import type { Position } from './cursors.ts';

/** Above every tweet: where a list that is read newest first starts. */
export const TOP: Position = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/** A tweet whose time is unknown has no place in a list by time: no comparison with null holds, so it is never served. */
export const below = sql`(${tweets.createdAt}, ${tweets.id}) < (${sql.placeholder('createdAt')}, ${sql.placeholder('id')})`;

/** Of several tweets at the same millisecond the one stored last comes first. */
export const newestFirst = [desc(tweets.createdAt), desc(tweets.id)];
