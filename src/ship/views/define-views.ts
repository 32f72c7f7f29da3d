import { FACT_TABLES } from '../facts/fact-tables.ts';
import { createCompletenessViews } from './completeness-views.ts';
import { createCoverageViews, createSearchWindows } from './coverage-views.ts';
import type { Dialect } from './dialect.ts';
import { createFactViews } from './fact-views.ts';
import { createFollowViews } from './follow-views.ts';
import { createHistoryViews } from './history-views.ts';
import { createTweetPartViews } from './tweet-part-views.ts';
import { createTweetViews } from './tweet-views.ts';
import { createUserViews } from './user-views.ts';
import type { FactSource, Views } from './views.ts';

/**
 * Returns the views of facts, in an order in which they can be created: one of each fact table, without the facts of forgotten
 * accounts, and those that derive from them what the views of a store of the same name show.
 */
export const defineViews = (dialect: Dialect, source: FactSource): Views => ({
  ...createFactViews(dialect, source),
  ...createUserViews(dialect),
  ...createTweetViews(dialect),
  ...createTweetPartViews(dialect),
  ...createFollowViews(dialect),
  ...createHistoryViews(dialect),
  ...createSearchWindows(dialect),
  ...createCoverageViews(dialect),
  ...createCompletenessViews(dialect),
});

/** Whether a view is a part of others. The views of forgotten accounts are used by all views of facts, and are no parts. */
export const isPart = (name: string): boolean => name.startsWith('_') && !name.startsWith('_forgotten_');

/** Whether a view shows what one of a store shows, or periods of edges: not facts, and no part. */
export const isDerived = (name: string): boolean => !name.startsWith('_') && !(name in FACT_TABLES);
