import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { type DatasetRequest, writeDataset } from '../../../src/export/dataset/dataset.ts';
import { openSnapshot } from '../../../src/export/snapshot.ts';
import { tempDir } from '../../support/temp.ts';

/** The descriptor of a Data Package, as far as the tests read it. */
export interface DataPackage {
  readonly profile: string;
  readonly title: string;
  readonly trawl: object;
  readonly resources: readonly Resource[];
}

export interface Resource {
  readonly name: string;
  readonly path: string;
  readonly format: string;
  readonly bytes: number;
  readonly hash: string;
  readonly trawl: { readonly rows: number; readonly sql: string; readonly parameters: object };
  readonly schema: {
    readonly fields: readonly { readonly name: string; readonly type: string; readonly description: string }[];
    readonly primaryKey?: readonly string[];
    readonly foreignKeys?: readonly {
      readonly fields: string;
      readonly reference: { readonly resource: string; readonly fields: string };
    }[];
  };
}

/** A new folder that a dataset can be written to: the name is free. */
export const newFolder = (): string => join(tempDir(), 'dataset');

/** Writes a dataset of a store, by default all of it as CSV. Returns its folder. */
export async function createDataset(store: string, more: Partial<DatasetRequest> = {}): Promise<string> {
  const path = more.path ?? newFolder();
  using snapshot = openSnapshot(store);
  await writeDataset({
    snapshot,
    format: 'csv',
    selection: {},
    command: 'trawl export dataset',
    metadata: {
      title: 'A test',
      authors: [],
      publisher: undefined,
      statements: {},
    },
    ...more,
    path,
  });
  return path;
}

export const readDataPackage = (folder: string): DataPackage =>
  JSON.parse(readFileSync(join(folder, 'datapackage.json'), 'utf8')) as DataPackage;

const instance = await DuckDBInstance.create(':memory:');

/** Runs a statement of DuckDB with paths from a folder. Returns the rows; integers are bigints. */
export async function askDuckDb(folder: string, sql: string): Promise<unknown[][]> {
  const connection = await instance.connect();
  try {
    await connection.run(`set file_search_path = '${folder}'`);
    return (await connection.runAndReadAll(sql)).getRowsJS() as unknown[][];
  } finally {
    connection.closeSync();
  }
}

/** An expression of DuckDB for the rows of a resource; values of CSV are text. */
export const scan = ({ path, format }: Pick<Resource, 'path' | 'format'>): string =>
  format === 'csv' ? `read_csv('${path}', all_varchar = true, header = true)` : `'${path}'`;

/** Descriptions of keys that do not hold in a dataset. */
export async function findBrokenKeys(folder: string): Promise<string[]> {
  const { resources } = readDataPackage(folder);
  const broken: string[] = [];
  for (const resource of resources) {
    const { primaryKey, foreignKeys = [] } = resource.schema;
    if (primaryKey) {
      const columns = primaryKey.join(', ');
      const [[rows, distinct, nulls]] = (await askDuckDb(
        folder,
        `select count(*), count(distinct (${columns})), count(*) filter (where ${primaryKey.map((column) => `${column} is null`).join(' or ')}) from ${scan(resource)}`,
      )) as [[bigint, bigint, bigint]];
      if (rows !== distinct || nulls > 0n) broken.push(`${resource.name} (${columns})`);
    }
    for (const { fields, reference } of foreignKeys) {
      const target = resources.find(({ name }) => name === reference.resource)!;
      const [[orphans]] = (await askDuckDb(
        folder,
        `select count(*) from ${scan(resource)} where ${fields} is not null and ${fields} not in (select ${reference.fields} from ${scan(target)})`,
      )) as [[bigint]];
      if (orphans > 0n)
        broken.push(`${resource.name}.${fields} -> ${reference.resource}.${reference.fields}: ${orphans}`);
    }
  }
  return broken;
}
