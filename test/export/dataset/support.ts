import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatasetRequest } from '#files/export/dataset/dataset-request.ts';
import { writeDataset } from '#files/export/dataset/dataset.ts';
import { openSnapshot } from '#files/export/snapshot.ts';
import { type AskTables, openTables } from '../../support/tables.ts';
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
  readonly path: string | readonly string[];
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

/** Opens the files of a dataset as tables of SQLite, by the names of its resources. */
export const openDataset = (folder: string): Promise<AskTables> =>
  openTables(
    Object.fromEntries(
      readDataPackage(folder).resources.map(({ name, path }) => [
        name,
        [path].flat().map((file) => join(folder, file)),
      ]),
    ),
  );

/** Descriptions of keys that do not hold in a dataset. */
export async function findBrokenKeys(folder: string): Promise<string[]> {
  const ask = await openDataset(folder);
  const broken: string[] = [];
  for (const { name, schema } of readDataPackage(folder).resources) {
    const { primaryKey, foreignKeys = [] } = schema;
    if (primaryKey) {
      const columns = primaryKey.join(', ');
      const isNull = primaryKey.map((column) => `${column} is null`).join(' or ');
      const twice = `select ${columns} from ${name} group by ${columns} having count(*) > 1 or ${isNull}`;
      if (ask(twice).length > 0) broken.push(`${name} (${columns})`);
    }
    for (const { fields, reference } of foreignKeys) {
      const target = `${reference.resource}.${reference.fields}`;
      const orphans = ask(
        `select ${fields} from ${name} where ${fields} is not null and ${fields} not in (select ${target} from ${reference.resource})`,
      );
      if (orphans.length > 0) broken.push(`${name}.${fields} -> ${target}: ${orphans.length}`);
    }
  }
  return broken;
}
