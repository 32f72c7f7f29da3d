import { randomInt } from 'node:crypto';
import { resolveAccounts } from '#analysis/resolve-accounts.ts';
import { UsageError } from '#base/errors.ts';
import { formatOf } from '#files/export/formats/formats.ts';
import { sidecarPathOf } from '#files/export/sidecar.ts';
import { openSnapshot, type Snapshot } from '#files/export/snapshot.ts';
import { writeTableFile } from '#files/export/table-file.ts';
import { readPanelMembers } from '#store/panels/panels.ts';
import type { ExportedTable, TableExportRequest } from './answer-types.ts';
import { getStoreHandle } from './store-handle.ts';

/**
 * Writes a table of a store to a file, and the sidecar `<file>.meta.json` with its provenance and completeness. All rows are
 * those of one moment, while crawls may go on. The file appears when it is complete, and replaces an earlier one.
 *
 * @throws UsageError if an argument is invalid; TrawlError if an account is not in the store or the file cannot be written.
 */
export async function exportTable(request: TableExportRequest): Promise<ExportedTable> {
  const { store, table, file: path, format, since, until, sample: wanted, includeDeleted, signal, onRows } = request;
  const { path: db } = getStoreHandle(store).store;
  const sample = wanted && { size: wanted.size, seed: wanted.seed ?? String(randomInt(1e9)) };
  if (sample && !(Number.isSafeInteger(sample.size) && sample.size > 0))
    throw new UsageError('sample.size should be a whole number of at least 1');
  using snapshot = openSnapshot(db);
  const selection = {
    since: since?.getTime(),
    until: until?.getTime(),
    sample,
    includeDeleted,
    accountRestIds: findAccountIds(snapshot, request),
  };
  const { store: _, signal: __, onRows: ___, ...described } = request;
  const { hidden, rows, bytes, sha256 } = await writeTableFile({
    snapshot,
    table,
    selection,
    path,
    format: formatOf(format ?? path),
    signal,
    onRows,
    command: `exportTable(${JSON.stringify(described)})`,
  });
  return {
    file: path,
    sidecar: sidecarPathOf(path),
    rows,
    bytes,
    sha256,
    hidden,
    sample,
    snapshotAt: new Date(snapshot.takenAt),
  };
}

/** @throws TrawlError for accounts that are not in the store */
function findAccountIds(
  { db }: Snapshot,
  { accounts, panel }: Pick<TableExportRequest, 'accounts' | 'panel'>,
): string[] | undefined {
  if (accounts === undefined && panel === undefined) return undefined;
  const typed = resolveAccounts(db, accounts ?? [], 'exportTable');
  const unknown = typed.filter(({ restId }) => restId === undefined).map((account) => account.typed);
  if (unknown.length > 0) throw new UsageError(`the store has no account ${unknown.join(', ')}`);
  const members = panel === undefined ? [] : readPanelMembers(db, panel);
  return [...new Set([...typed, ...members].flatMap(({ restId }) => restId ?? []))];
}
