import type { QueryParameters } from '../../../analysis/sql/query-parameters.ts';
import { prepareQuery, type Query, type SqlValue } from '../../../analysis/sql/sql-query.ts';
import { UsageError } from '../../../base/errors.ts';
import { findUnreadableTable, type PseudonymisedStore, READABLE_TABLES } from './pseudonymised-store.ts';

interface PseudonymisedStatement {
  readonly sql: string;
  readonly parameters?: QueryParameters | undefined;
}

/**
 * Prepares a read-only statement on tables with pseudonyms. The numbers of rows in the store are left out of its result.
 * @throws UsageError for a statement that is not valid, or reads what has no pseudonyms, and for a column without a plain name
 */
export function preparePseudonymisedQuery(store: PseudonymisedStore, statement: PseudonymisedStatement): Query {
  // Statistics of SQLite have samples of all values. Its pragmas name the file of the store and the attached schema.
  if (/sqlite_|\bpragma(?:_|\b)|\bdbstat\b/i.test(statement.sql))
    throw new UsageError('with --pseudonymise, tables and pragmas of SQLite are not readable');
  const query = explain(() => prepareQuery(store.db, statement));
  const columns = store.db.$client.prepare(statement.sql).columns();
  const kept = columns.flatMap((column, i) => (store.isRowNumber(column) ? [] : [i]));
  const names = kept.map((i) => columns[i]!.name);
  requirePlainNames(names);
  if (names.length === 0) {
    throw new UsageError('the statement selects only numbers of rows in the store, which --pseudonymise leaves out', {
      hint: 'Select rest_id, which is a pseudonym.',
    });
  }
  const { rows } = query;
  return {
    ...query,
    columns: names,
    rows: {
      *[Symbol.iterator]() {
        for (const row of rows) yield kept.map((i): SqlValue => row[i]!);
      },
    },
  };
}

/** A column without a name is called by its expression, which may name an account. */
function requirePlainNames(names: readonly string[]): void {
  const wrong = names.find((name) => !/^[\p{L}\p{M}\p{N}_ .,*()-]+$/u.test(name) || /\d{7}/.test(name));
  if (wrong === undefined) return;
  throw new UsageError(`the column ${wrong} is called by its expression, which the file would show`, {
    hint: 'Give it a name: select … as name.',
  });
}

function explain<T>(run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    const table = findUnreadableTable(cause.message);
    if (table !== undefined) {
      throw new UsageError(`with --pseudonymise, the table ${table} is not readable`, {
        hint: `Readable are ${READABLE_TABLES.filter((name) => !name.startsWith('_')).join(', ')}.`,
        cause,
      });
    }
    if (!cause.message.startsWith('no such column')) throw cause;
    throw new UsageError(cause.message, {
      hint: 'With --pseudonymise, tables have no names, addresses, notes and messages, and without --keep-text no texts.',
      cause,
    });
  }
}
