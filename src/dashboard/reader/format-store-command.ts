import type { ReadSettings } from './read.ts';

/** Returns a command to type for the store of a page. @param command without `trawl` */
export const formatStoreCommand = ({ databaseOption }: Pick<ReadSettings, 'databaseOption'>, command: string): string =>
  ['trawl', command, databaseOption].filter((part) => part !== '').join(' ');
