import type { SchemaElement } from 'hyparquet-writer';
import type { SqlValue } from '../../../../analysis/sql/sql-query.ts';
import { TrawlError } from '../../../../base/errors.ts';
import { toText } from '../format-values.ts';
import type { ExactType } from './column-types.ts';

/** A value as hyparquet-writer takes it. */
export type Encoded = Uint8Array | string | bigint | number | boolean;

/** How a column is stored. All columns are nullable. */
export interface Encoding {
  readonly element: Omit<SchemaElement, 'name'>;
  encode(value: Present): Encoded;
}

type Present = NonNullable<SqlValue>;

function toInteger(value: Present): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  throw createMismatch('integer', value);
}

function toReal(value: Present): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  throw createMismatch('real', value);
}

/** SQLite does not enforce the declared type of a column. */
const createMismatch = (type: ExactType, value: Present): TrawlError =>
  new TrawlError(`a column of type ${type} contains ${JSON.stringify(toText(value).slice(0, 100))}`, {
    hint: 'csv, json, jsonl and xlsx hold values of any type.',
  });

export const ENCODINGS: Readonly<Record<ExactType, Encoding>> = {
  text: {
    element: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
    encode: toText,
  },
  integer: { element: { type: 'INT64' }, encode: toInteger },
  real: { element: { type: 'DOUBLE' }, encode: toReal },
  boolean: { element: { type: 'BOOLEAN' }, encode: (value) => Number(value) !== 0 },
  timestamp: {
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MILLIS',
      logical_type: {
        type: 'TIMESTAMP',
        isAdjustedToUTC: true,
        unit: 'MILLIS',
      },
    },
    encode: toInteger,
  },
  blob: {
    element: { type: 'BYTE_ARRAY' },
    encode: (value) => (Buffer.isBuffer(value) ? value : Buffer.from(toText(value))),
  },
};
