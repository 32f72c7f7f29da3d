import { createHash } from 'node:crypto';
import type { SqlValue } from '#analysis/sql/sql-query.ts';
import type { DatasetRequest } from './dataset-request.ts';
import { type DatasetTable, readDatasetTable } from './dataset-tables.ts';

type Rows = Iterable<readonly SqlValue[]>;

/** The rows of a partition, which can be read once, before the next partition. */
interface Partition {
  readonly number: number;
  readonly rows: Rows;
}

/** Returns the partition of a row: the first 32 bits of the SHA-256 of its owner's id, modulo their number. Rows without an owner are in partition 0. */
function findPartition(owner: SqlValue, partitions: number): number {
  if (owner === null) return 0;
  return createHash('sha256').update(String(owner)).digest().readUInt32BE() % partitions;
}

/**
 * Reads the rows of a table, sorted by their partition. A table without rows has one empty partition.
 * Owners that have pseudonyms are hashed by them: a hash of the id would help to find it.
 */
export function* readPartitions(
  { snapshot, selection, pseudonyms }: DatasetRequest,
  table: DatasetTable,
  partitions: number,
): Generator<Partition, void> {
  const { sql, name } = table.columns.find((column) => column.name === table.ownerColumn)!;
  snapshot.db.$client.function('partition_of', { deterministic: true }, (owner: unknown) => {
    const id = owner as string | null;
    return findPartition(pseudonyms && id !== null ? pseudonyms.replace('account', id, '') : id, partitions);
  });
  const sorted = { ...table, orderBy: `partition_of(${sql}), ${table.orderBy}` };
  const { columns, rows } = readDatasetTable(snapshot, sorted, selection, pseudonyms);
  const at = columns.findIndex((column) => column.name === name);
  yield* splitRows(rows, (row) => findPartition(row[at]!, partitions));
}

/** Splits sorted rows into their partitions. */
function* splitRows(rows: Rows, partitionOf: (row: readonly SqlValue[]) => number): Generator<Partition, void> {
  const iterator = rows[Symbol.iterator]();
  try {
    let row = iterator.next();
    do {
      const number = row.done ? 0 : partitionOf(row.value);
      yield {
        number,
        rows: {
          *[Symbol.iterator]() {
            for (; !row.done && partitionOf(row.value) === number; row = iterator.next()) yield row.value;
          },
        },
      };
    } while (!row.done);
  } finally {
    iterator.return?.();
  }
}
