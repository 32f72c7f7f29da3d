import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { type Catalogue, readCatalogue, readQueryFile } from '#analysis/queries/catalogue.ts';
import type { SavedQuery } from '#analysis/queries/saved-query.ts';
import { getConfig, resolvePath } from '#cli/context.ts';

/** The user's folder without TRAWL_QUERIES. */
const DEFAULT_FOLDER = 'queries';

/** Lists the queries of trawl and of the user. @throws UsageError for a folder of TRAWL_QUERIES that cannot be read */
export const openCatalogue = (): Catalogue => readCatalogue(listQueryFolders());

/** Returns the absolute paths of the folders with the user's queries. */
export const listQueryFolders = (): string[] =>
  (getConfig().queryFolders ?? (existsSync(resolvePath(DEFAULT_FOLDER)) ? [DEFAULT_FOLDER] : [])).map(resolvePath);

/** Reads a query by its name, or by the path of its file. @throws UsageError if it is unknown or wrong */
export const findQuery = (nameOrFile: string): SavedQuery =>
  nameOrFile.endsWith('.sql')
    ? readQueryFile(basename(nameOrFile, '.sql'), resolvePath(nameOrFile))
    : openCatalogue().read(nameOrFile);
