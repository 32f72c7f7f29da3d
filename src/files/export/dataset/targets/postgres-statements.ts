import { escapeIdentifier, escapeLiteral } from 'pg';
import type { DatasetTable } from '#files/export/dataset/dataset-tables.ts';
import type { ColumnType, ResultColumn } from '#files/export/result-set.ts';

const TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  integer: 'bigint',
  real: 'double precision',
  boolean: 'boolean',
  timestamp: 'timestamp with time zone',
  blob: 'bytea',
  any: 'text',
};

/** A table of a dataset in PostgreSQL. */
export interface PostgresTable {
  readonly schema: string;
  readonly definition: DatasetTable;
  readonly columns: readonly ResultColumn[];
  /** The number of its hash partitions; undefined for a table without. */
  readonly partitions: number | undefined;
}

const joinNames = (names: readonly string[]): string => names.map(escapeIdentifier).join(', ');

export const formatTableName = ({ schema, definition: { name } }: PostgresTable, ending = ''): string =>
  `${escapeIdentifier(schema)}.${escapeIdentifier(name + ending)}`;

/** Returns the names of its hash partitions: its name, `_` and the remainder. */
const listPartitions = (table: PostgresTable): string[] =>
  Array.from({ length: table.partitions ?? 0 }, (_, i) => formatTableName(table, `_${i}`));

/** Returns the statements that create a table with comments, without keys. */
export function formatCreation(table: PostgresTable): string[] {
  const { columns, definition, partitions } = table;
  const name = formatTableName(table);
  const fields = columns.map((column) => `${escapeIdentifier(column.name)} ${TYPES[column.type]}`);
  const partitioning = partitions === undefined ? '' : ` partition by hash (${joinNames([definition.ownerColumn!])})`;
  return [
    `create table ${name} (${fields.join(', ')})${partitioning}`,
    ...listPartitions(table).map(
      (partition, i) =>
        `create table ${partition} partition of ${name} for values with (modulus ${partitions}, remainder ${i})`,
    ),
    `comment on table ${name} is ${escapeLiteral(definition.title)}`,
    ...columns.map(
      (column) =>
        `comment on column ${name}.${escapeIdentifier(column.name)} is ${escapeLiteral(column.description ?? '')}`,
    ),
  ];
}

/**
 * Returns the statements that create the keys and indexes of a filled table, and collect its statistics. The primary key of a
 * partitioned table is one of each partition: a common one would exclude foreign tables as partitions.
 */
export function formatIndexes(table: PostgresTable): string[] {
  const { primaryKey, foreignKeys = [], longColumn } = table.definition;
  const name = formatTableName(table);
  const key = longColumn === undefined ? (primaryKey ?? []) : [];
  const keyed = table.partitions === undefined ? [name] : listPartitions(table);
  const indexed = foreignKeys.map(({ column }) => column).filter((column) => column !== key[0]);
  return [
    ...(key.length === 0 ? [] : keyed.map((each) => `alter table ${each} add primary key (${joinNames(key)})`)),
    ...indexed.map((column) => `create index on ${name} (${escapeIdentifier(column)})`),
    ...(longColumn === undefined ? [] : [`create index on ${name} using hash (${escapeIdentifier(longColumn)})`]),
    `analyze ${name}`,
  ];
}
