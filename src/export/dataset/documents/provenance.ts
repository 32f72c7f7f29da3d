import type { Provenance } from '../../sidecar.ts';
import type { HiddenRows } from '../../table-query.ts';
import type { WrittenTable } from '../write-tables.ts';

/**
 * `provenance.json`: what the dataset was made from, and for each file the statement that returns the same rows from the
 * store. Its keys are those of the sidecars of other exports.
 */
export function formatProvenance(
  tables: readonly WrittenTable[],
  { provenance, hidden }: { readonly provenance: Provenance; readonly hidden: HiddenRows },
): string {
  const files = tables.map(({ file, rows, bytes, sha256, sql, parameters }) => ({
    file,
    rows,
    bytes,
    sha256,
    sql,
    parameters,
  }));
  return `${JSON.stringify({ ...provenance, hidden, files }, null, 2)}\n`;
}
