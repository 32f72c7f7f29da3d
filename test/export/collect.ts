import type { SqlValue } from '#analysis/sql/sql-query.ts';
import { type FormatName, FORMATS } from '#files/export/formats/formats.ts';
import type { FormatOptions, Sink } from '#files/export/formats/output-format.ts';
import type { ColumnType, ResultSet } from '#files/export/result-set.ts';
import type { FileOrigin } from '#files/export/sidecar.ts';

/** Where the rows of these tests come from. */
export const ORIGIN: FileOrigin = {
  version: '1.2.3',
  command: 'trawl sql',
  snapshotAt: '2026-01-01T00:00:00.000Z',
  store: { id: 'a', file: 'trawl.db' },
  sql: 'select :id',
  parameters: { id: 2n ** 60n, n: 1n },
};

/** Returns a result from rows and the types of its columns by their names. */
export const toTypedResult = (
  types: Readonly<Record<string, ColumnType>>,
  rows: Iterable<readonly SqlValue[]>,
): ResultSet => ({ columns: Object.entries(types).map(([name, type]) => ({ name, type })), rows });

/** Returns the bytes of a file of a format. */
export async function collectFile(name: FormatName, result: ResultSet, options?: FormatOptions): Promise<Buffer> {
  const chunks: Buffer[] = [];
  // Copied, since a format may use the memory of a chunk again.
  const sink: Sink = { write: async (chunk) => void chunks.push(Buffer.from(chunk as string)) };
  await FORMATS[name].write(result, sink, options);
  return Buffer.concat(chunks);
}
