/**
 * The tables. Primary keys are small integers in order of first sight; the service's own ids are unique text. Times are
 * milliseconds since the epoch, UTC. Columns stand in the order that they have in the file, where new ones come last.
 *
 * A foreign key is declared where the row that it names is always written first, and never deleted before; none names a
 * body, which expires. They are for people and tools: nothing enforces them while crawls write (`trawl doctor --deep`
 * checks them). The sentence above each table goes into the data dictionary.
 */
export * from './tables/coverage.ts';
export * from './tables/crawls.ts';
export * from './tables/follows.ts';
export * from './tables/groups.ts';
export * from './tables/jobs.ts';
export * from './tables/journal.ts';
export * from './tables/service.ts';
export * from './tables/settings.ts';
export * from './tables/tweets.ts';
export * from './tables/users.ts';
