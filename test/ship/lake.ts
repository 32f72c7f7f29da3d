import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FACT_TABLE_NAMES } from '#store/outbox/fact-tables.ts';
import { type AskTables, openTables } from '../support/tables.ts';

/** Returns the files of a table of a lake. */
export const listFactFiles = (lake: string, table: string): string[] =>
  existsSync(join(lake, table))
    ? (readdirSync(join(lake, table), { recursive: true }) as string[])
        .filter((name) => name.endsWith('.parquet'))
        .map((name) => join(lake, table, name))
    : [];

/** Opens the facts of a lake as tables of SQLite. */
export const openLake = (lake: string): Promise<AskTables> =>
  openTables(
    Object.fromEntries(
      FACT_TABLE_NAMES.flatMap((table) => {
        const files = listFactFiles(lake, table);
        return files.length === 0 ? [] : [[table, files]];
      }),
    ),
  );

/** Opens a lake, and runs one statement of SQLite. */
export const askLake = async (lake: string, sql: string): Promise<unknown[][]> => (await openLake(lake))(sql);
