import { escapeIdentifier, escapeLiteral } from 'pg';
import { UsageError } from '#base/errors.ts';
import type { DatasetRequest } from '#files/export/dataset/dataset-request.ts';
import { DATASET_TABLES, readDatasetTable } from '#files/export/dataset/dataset-tables.ts';
import { describePackage } from '#files/export/dataset/documents/data-package.ts';
import type { DatasetFile } from '#files/export/dataset/written-file.ts';
import type { DatasetTarget } from './dataset-target.ts';
import { DESCRIPTOR, requireReplaceable } from './output-folder.ts';
import { parsePostgresAddress } from './postgres-address.ts';
import { connectToPostgres, type PostgresConnection } from './postgres-connection.ts';
import { formatCreation, formatIndexes, formatTableName } from './postgres-statements.ts';

/**
 * Opens the target that writes tables to a schema of PostgreSQL, within one transaction that also gives the schema its name.
 * The schema of an earlier dataset is renamed there, and dropped afterwards: readers are not interrupted.
 * @throws UsageError if the schema is taken, or for `ids`; TrawlError if the server cannot be used
 */
export async function openPostgresTarget({ path, format, overwrite }: DatasetRequest): Promise<DatasetTarget> {
  const { address, connectionString, schema } = parsePostgresAddress(path);
  if (format === 'ids') throw new UsageError('--ids-only writes files', { hint: 'Name a folder with -o.' });
  const partial = `${schema}_partial`;
  const replaced = `${schema}_replaced`;
  const connection = await connectToPostgres(connectionString, address);
  const { run } = connection;

  /** Returns whether there is a schema of a name. @throws UsageError unless it is free, or a dataset that may be replaced */
  async function requireFree(name: string, isReplaceable: boolean | undefined): Promise<boolean> {
    const found = await run(`select obj_description(oid, 'pg_namespace') as comment from pg_namespace
      where nspname = ${escapeLiteral(name)}`);
    const content = found.map(({ comment }) => (String(comment).includes('"trawl":') ? DESCRIPTOR : 'tables'));
    requireReplaceable(address.replace(/\w+$/, name), content, isReplaceable);
    return found.length > 0;
  }
  const drop = (name: string): Promise<unknown> => run(`drop schema if exists ${escapeIdentifier(name)} cascade`);
  const rename = (from: string, to: string): string =>
    `alter schema ${escapeIdentifier(from)} rename to ${escapeIdentifier(to)}`;

  try {
    await requireFree(schema, overwrite);
    // A killed export may have left it.
    await requireFree(replaced, true);
    await drop(replaced);
    // It waits for another export there.
    await run('begin', `create schema ${escapeIdentifier(partial)}`);
  } catch (error) {
    await connection[Symbol.asyncDispose]();
    throw error;
  }
  return {
    address,
    writeTables: (request) => writeTables(connection, partial, request),
    async writeDocuments({ dataPackage }) {
      const comment = escapeLiteral(JSON.stringify(describePackage(dataPackage)));
      await run(`comment on schema ${escapeIdentifier(partial)} is ${comment}`);
    },
    async commit() {
      const isReplacing = await requireFree(schema, overwrite);
      await run(...(isReplacing ? [rename(schema, replaced)] : []), rename(partial, schema), 'commit');
      // If it fails, the next export drops it.
      if (isReplacing) await drop(replaced).catch(() => undefined);
    },
    [Symbol.asyncDispose]: connection[Symbol.asyncDispose],
  };
}

async function writeTables(
  { run, copy }: PostgresConnection,
  schema: string,
  { snapshot, selection, pseudonyms, partitions, signal, onProgress }: DatasetRequest,
): Promise<DatasetFile[]> {
  const written: DatasetFile[] = [];
  for (const definition of DATASET_TABLES) {
    const { name, title, ownerColumn } = definition;
    const { columns, rows } = readDatasetTable(snapshot, definition, selection, pseudonyms);
    const table = { schema, definition, columns, partitions: ownerColumn === undefined ? undefined : partitions };
    const onRows = (count: number): void => onProgress?.({ table: name, rows: count });
    onRows(0);
    await run(...formatCreation(table));
    const count = await copy(formatTableName(table), { columns, rows }, { onRows, signal });
    await run(...formatIndexes(table));
    written.push({ name, title, file: name, format: 'postgres', mediaType: '', rows: count, parts: [] });
  }
  return written;
}
