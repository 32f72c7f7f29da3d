import { prepareQuery } from '#analysis/sql/sql-query.ts';
import { pseudonymiseResult } from '#files/export/pseudonyms/pseudonymise-result.ts';
import { preparePseudonymisedQuery, openPseudonymisedStore } from '#files/export/pseudonyms/pseudonymised-store.ts';
import { createPseudonyms, type Pseudonyms } from '#files/export/pseudonyms/pseudonyms.ts';
import { type ResultSet, toResultSet } from '#files/export/result-set.ts';
import { openSnapshot, type Snapshot } from '#files/export/snapshot.ts';
import type { QueryPseudonyms, QueryRequest } from './query-request.ts';

/** The rows of a statement with pseudonyms, and a snapshot of the store that is not older. */
interface PseudonymisedRows {
  readonly result: ResultSet;
  readonly pseudonyms: Pseudonyms;
  readonly snapshot: Snapshot;
}

/**
 * Runs a statement whose rows get pseudonyms: in the tables that it reads, or in its result if the contents of its columns are
 * known. The rows can be read until `use` ends. @throws UsageError for a wrong statement
 */
export async function usePseudonymisedRows<T>(
  { db, sql, parameters: typed }: QueryRequest,
  settings: QueryPseudonyms,
  use: (rows: PseudonymisedRows) => Promise<T>,
): Promise<T> {
  const { table } = settings;
  const pseudonyms = createPseudonyms(settings);
  const parameters = replaceParameters(typed, settings, pseudonyms);
  using store = table === undefined ? openPseudonymisedStore(db, pseudonyms, settings) : undefined;
  using snapshot = openSnapshot(db);
  using query = store
    ? preparePseudonymisedQuery(store, { sql, parameters })
    : prepareQuery(snapshot.db, { sql, parameters });
  const rows = toResultSet(query);
  const result = table === undefined ? rows : pseudonymiseResult(table, rows, pseudonyms);
  return await use({ result, pseudonyms, snapshot });
}

function replaceParameters(
  parameters: QueryRequest['parameters'],
  { identities = {} }: QueryPseudonyms,
  { replace }: Pseudonyms,
): QueryRequest['parameters'] {
  const replaced = Object.entries(identities).map(
    ([name, identity]) => [name, replace(identity, String(parameters[name]), '')] as const,
  );
  return { ...parameters, ...Object.fromEntries(replaced) };
}
