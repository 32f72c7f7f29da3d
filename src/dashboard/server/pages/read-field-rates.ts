import type { FillPeriodName, FillRates } from '#analysis/quality/fill-rates.ts';
import { listInspectedEndpoints, readSentFields } from '#analysis/quality/sent-fields.ts';
import { type InspectedTable, readStoredColumns, SAMPLED_ROWS } from '#analysis/quality/stored-columns.ts';
import { MINUTE } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { formatCount, pluralize } from '#base/text.ts';
import type { FieldRatesData } from '#dashboard/server/api/quality.ts';
import type { ReadContext, ReadRequest } from '#dashboard/server/reader/read.ts';

/** The tables of the store that can be chosen, beside endpoints. */
const TABLES: readonly { readonly value: string; readonly label: string; readonly table: InspectedTable }[] = [
  { value: 'stored-accounts', label: 'Stored accounts', table: 'users' },
  { value: 'stored-tweets', label: 'Stored tweets', table: 'tweets' },
];

/** A sample of a large table reads many pages of the file, and changes slowly. */
const MAX_AGE_MS = MINUTE;

/**
 * Reads the share of items with a value by field and day or month: of what an endpoint sent, or of what is stored.
 * @throws UsageError for an unknown source or period
 */
export function readFieldRates(context: ReadContext, { query }: ReadRequest): FieldRatesData {
  const { db, now, remember } = context;
  const endpoints = listInspectedEndpoints(db);
  const source = query['of'] ?? endpoints[0] ?? TABLES[0]!.value;
  const by = parsePeriod(query['by']);
  const { table } = TABLES.find(({ value }) => value === source) ?? {};
  if (!table && !endpoints.includes(source))
    throw new UsageError('of must be an endpoint with stored pages, stored-accounts or stored-tweets');
  const { basis, ...rates } = table
    ? remember(`columns ${table} ${by}`, MAX_AGE_MS, () => readTable(context, table, by, now))
    : { ...readSentFields(db, source, by), basis: 'Sent: of the first ten items of each type on each page.' };
  return {
    sources: [
      ...endpoints.map((endpoint) => ({
        value: endpoint,
        label: `Sent by ${endpoint}`,
      })),
      ...TABLES.map(({ value, label }) => ({
        value,
        label,
      })),
    ],
    source,
    by,
    periods: rates.periods,
    fields: rates.fields,
    basis,
  };
}

function parsePeriod(text: string | undefined): FillPeriodName {
  if (text === undefined || text === 'day') return 'day';
  if (text === 'month') return 'month';
  throw new UsageError('by must be day or month');
}

function readTable(
  { db }: ReadContext,
  table: InspectedTable,
  by: FillPeriodName,
  now: number,
): FillRates & { readonly basis: string } {
  const { sampled, rows, ...rates } = readStoredColumns(db, table, by, now);
  const items = pluralize(sampled, table === 'users' ? 'account' : 'tweet');
  const which =
    rows > SAMPLED_ROWS ? `of a sample of ${items} of about ${formatCount(rows)}, evenly spread` : `of all ${items}`;
  return { ...rates, basis: `Stored: ${which}, by the ${by} (UTC) in which they were seen first.` };
}
