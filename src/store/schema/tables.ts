/**
 * The tables. Primary keys are small integers in order of insertion; the service's ids are unique text. Times are
 * milliseconds since the epoch, UTC. Columns have the order of the database file, with new ones last.
 *
 * A foreign key is declared where the referenced row is always written first and deleted last. No key refers to a body,
 * since bodies expire. Keys document the tables and are not enforced while crawls write; `trawl doctor --deep` checks
 * them. The comments of tables and columns are the text of the data dictionary.
 */
export * from './tables/coverage.ts';
export * from './tables/crawls.ts';
export * from './tables/erasures.ts';
export * from './tables/follows.ts';
export * from './tables/groups.ts';
export * from './tables/jobs.ts';
export * from './tables/journal.ts';
export * from './tables/panels.ts';
export * from './tables/service.ts';
export * from './tables/settings.ts';
export * from './tables/ship.ts';
export * from './tables/tweets.ts';
export * from './tables/users.ts';
