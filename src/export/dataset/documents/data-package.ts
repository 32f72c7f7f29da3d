import type { ColumnType, ResultColumn } from '../../result-set.ts';
import type { Provenance } from '../../sidecar.ts';
import type { WrittenIdList } from '../id-lists.ts';
import { type DatasetMetadata, TO_BE_ANNOUNCED } from '../metadata.ts';
import type { WrittenTable } from '../write-tables.ts';

/** The types of Table Schema. */
const TYPES: Readonly<Record<ColumnType, { readonly type: string; readonly format?: string }>> = {
  text: { type: 'string' },
  integer: { type: 'integer' },
  real: { type: 'number' },
  boolean: { type: 'boolean' },
  timestamp: { type: 'datetime' },
  blob: { type: 'string', format: 'binary' },
  any: { type: 'any' },
};

export interface PackageFacts {
  readonly metadata: DatasetMetadata;
  readonly provenance: Provenance;
  readonly description: string;
}

/**
 * `datapackage.json`: a Data Package of Frictionless, version 1. CSV files are Tabular Data Resources; the standard has no
 * such resources of Parquet, so those are Data Resources with a schema.
 */
export function formatDataPackage(
  {
    tables = [],
    idLists = [],
  }: { readonly tables?: readonly WrittenTable[]; readonly idLists?: readonly WrittenIdList[] },
  { metadata, provenance, description }: PackageFacts,
): string {
  const isTabular = tables.length > 0 && tables.every(({ format }) => format === 'csv');
  const { snapshotAt, store, version } = provenance;
  const document = {
    profile: isTabular ? 'tabular-data-package' : 'data-package',
    name: `trawl-${snapshotAt.slice(0, 19).replaceAll(/\D/g, '')}`,
    title: metadata.title,
    description,
    version: snapshotAt,
    created: snapshotAt,
    contributors: [
      ...(metadata.authors.length === 0 ? [TO_BE_ANNOUNCED] : metadata.authors).map((title) => ({
        title,
        role: 'author',
      })),
      {
        title: metadata.publisher ?? TO_BE_ANNOUNCED,
        role: 'publisher',
      },
    ],
    trawl: {
      version,
      store: store.id,
      snapshotAt,
    },
    resources: [...tables.map(toTableResource), ...idLists.map(toTextResource)],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function toTableResource(table: WrittenTable) {
  const { name, title, file, format, mediaType, bytes, sha256, columns, primaryKey, foreignKeys } = table;
  const isCsv = format === 'csv';
  return {
    profile: isCsv ? 'tabular-data-resource' : 'data-resource',
    name,
    path: file,
    title,
    format,
    mediatype: mediaType,
    bytes,
    hash: `sha256:${sha256}`,
    ...(isCsv && {
      encoding: 'utf-8',
      dialect: {
        delimiter: ',',
        doubleQuote: true,
        lineTerminator: '\n',
      },
    }),
    schema: {
      fields: columns.map((column) => toField(column, isCsv)),
      ...(isCsv && { missingValues: [''] }),
      ...(primaryKey && { primaryKey }),
      ...(foreignKeys.length > 0 && {
        foreignKeys: foreignKeys.map(({ column, to }) => ({
          fields: column,
          reference: {
            resource: to.table,
            fields: to.column,
          },
        })),
      }),
    },
  };
}

/** The form of times in CSV: the default format of Table Schema has no fractions of seconds. */
const TIME_FORMAT = '%Y-%m-%dT%H:%M:%S.%fZ';

const toField = ({ name, type, description = '' }: ResultColumn, isCsv: boolean) => ({
  name,
  ...TYPES[type],
  ...(isCsv && type === 'timestamp' && { format: TIME_FORMAT }),
  description,
});

const toTextResource = ({ name, file, description, bytes, sha256 }: WrittenIdList) => ({
  profile: 'data-resource',
  name,
  path: file,
  title: description,
  format: 'txt',
  mediatype: 'text/plain',
  encoding: 'utf-8',
  bytes,
  hash: `sha256:${sha256}`,
});
