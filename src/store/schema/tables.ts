/**
 * The tables. Primary keys are small integers in order of insertion; the service's ids are unique text. Times are
 * milliseconds since the epoch, UTC. Columns have the order of the database file, with new ones last.
 *
 * A foreign key is declared where the referenced row is always written first and deleted last. No key refers to a body,
 * since bodies expire. Keys document the tables and are not enforced while crawls write; `trawl doctor --deep` checks
 * them. The comments of tables and columns are the text of the data dictionary.
 */
export * from './tables/coverage-tables.ts';
export * from './tables/crawl-tables.ts';
export * from './tables/erasure-tables.ts';
export * from './tables/follow-tables.ts';
export * from './tables/group-tables.ts';
export * from './tables/job-tables.ts';
export * from './tables/journal-tables.ts';
export * from './tables/panel-tables.ts';
export * from './tables/service-tables.ts';
export * from './tables/setting-tables.ts';
export * from './tables/ship-tables.ts';
export * from './tables/tweet-tables.ts';
export * from './tables/user-tables.ts';
