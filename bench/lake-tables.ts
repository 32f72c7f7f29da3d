import { DuckDBInstance } from '@duckdb/node-api';
import { readArguments } from './child.ts';

/** Creates tables of a lake in a new database of DuckDB, in a process of its own. */

export interface LakeTablesArguments {
  /** The database to create. */
  readonly tables: string;
  readonly statements: string;
}

const { tables, statements } = readArguments<LakeTablesArguments>();
const instance = await DuckDBInstance.create(tables);
const connection = await instance.connect();
await connection.run(statements);
connection.closeSync();
instance.closeSync();
