import type { ReadSettings } from './read.ts';

/** Returns a command to type for the store of a page. @param command without `trawl` */
export const formatStoreCommand = ({ databaseOption }: Pick<ReadSettings, 'databaseOption'>, command: string): string =>
  ['trawl', command, databaseOption].filter((part) => part !== '').join(' ');

/** Formats commands in hints: quoted, for the store of a page. */
export const createHintFormat =
  (settings: Pick<ReadSettings, 'databaseOption'>) =>
  (name: string, args = ''): string =>
    `\`${formatStoreCommand(settings, [name, args].join(' ').trim())}\``;
