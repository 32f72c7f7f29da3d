import type { EvidenceAge } from '#analysis/recheck/evidence-age.ts';
import { type DatasetMetadata, TO_BE_ANNOUNCED } from '#files/export/dataset/metadata.ts';
import { countBytes, type DatasetFile, type WrittenTable } from '#files/export/dataset/written-file.ts';
import type { ColumnType, ResultColumn } from '#files/export/result-set.ts';
import type { Provenance } from '#files/export/sidecar.ts';
import type { HiddenRows } from '#files/export/table-query.ts';

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
  readonly description: string;
  readonly snapshotAt: string;
  /** What the dataset was made from, as far as it may be told. Its keys are those of the sidecars of other exports. */
  readonly origin: Pick<Provenance, 'version'>;
  readonly hidden: HiddenRows;
  readonly deletions: EvidenceAge;
  readonly files: readonly DatasetFile[];
}

/**
 * `datapackage.json`: a Data Package of Frictionless, version 1. CSV files are Tabular Data Resources; the standard has no
 * such resources of Parquet, so those are Data Resources with a schema. Under `trawl`, it has the provenance.
 */
export function formatDataPackage(facts: PackageFacts): string {
  const isTabular = facts.files.every(({ format }) => format === 'csv');
  const document = {
    profile: isTabular ? 'tabular-data-package' : 'data-package',
    ...describePackage(facts),
    resources: facts.files.map(toResource),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Returns the properties of a Data Package that describe it as a whole. */
export function describePackage({ metadata, description, snapshotAt, origin, hidden, deletions }: PackageFacts) {
  const authors = metadata.authors.length === 0 ? [TO_BE_ANNOUNCED] : metadata.authors;
  return {
    name: `trawl-${snapshotAt.slice(0, 19).replaceAll(/\D/g, '')}`,
    title: metadata.title,
    description,
    version: snapshotAt,
    created: snapshotAt,
    contributors: [
      ...authors.map((title) => ({ title, role: 'author' })),
      { title: metadata.publisher ?? TO_BE_ANNOUNCED, role: 'publisher' },
    ],
    trawl: { ...origin, snapshotAt, hidden, deletions },
  };
}

function toResource({ name, title, format, mediaType, rows, parts, table }: DatasetFile) {
  const isCsv = format === 'csv';
  const [first, ...others] = parts;
  return {
    profile: isCsv ? 'tabular-data-resource' : 'data-resource',
    name,
    path: others.length === 0 ? first?.file : parts.map(({ file }) => file),
    title,
    format,
    mediatype: mediaType,
    bytes: countBytes(parts),
    ...(others.length === 0 && { hash: `sha256:${first?.sha256}` }),
    ...(mediaType.startsWith('text/') && { encoding: 'utf-8' }),
    ...(isCsv && { dialect: { delimiter: ',', doubleQuote: true, lineTerminator: '\n' } }),
    ...(table && { schema: toSchema(table, isCsv) }),
    trawl: { rows, ...table?.query },
  };
}

const toSchema = ({ columns, primaryKey, foreignKeys }: WrittenTable, isCsv: boolean) => ({
  fields: columns.map((column) => toField(column, isCsv)),
  ...(isCsv && { missingValues: [''] }),
  ...(primaryKey && { primaryKey }),
  ...(foreignKeys.length > 0 && {
    foreignKeys: foreignKeys.map(({ column, to }) => ({
      fields: column,
      reference: { resource: to.table, fields: to.column },
    })),
  }),
});

/** The form of times in CSV: the default format of Table Schema has no fractions of seconds. */
const TIME_FORMAT = '%Y-%m-%dT%H:%M:%S.%fZ';

const toField = ({ name, type, description = '' }: ResultColumn, isCsv: boolean) => ({
  name,
  ...TYPES[type],
  ...(isCsv && type === 'timestamp' && { format: TIME_FORMAT }),
  description,
});
