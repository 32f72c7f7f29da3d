import { openQuery } from '../../analysis/sql/sql-query.ts';
import { formatAsTable } from '../../files/export/formats/table-format.ts';
import { toResultSet } from '../../files/export/result-set.ts';
import { print } from '../terminal/print.ts';
import { BOLD, hasStyles } from '../terminal/style.ts';

export interface Question {
  readonly question: string;
  readonly sql: string;
}

/** Prints the heading of a section. */
export const heading = (text: string): void => print(`\n${hasStyles() ? BOLD.open + text + BOLD.close : text}`);

/** Prints a question, its SQL if `hasSql` is set, and the rows that answer it. */
export function printAnswer(db: string, { question, sql }: Question, { hasSql = false } = {}): void {
  using query = openQuery({ db, sql });
  const shown = hasSql ? `${sql.replaceAll(/^/gm, '  ')}\n\n` : '';
  print(`\n${question}\n\n${shown}${[...formatAsTable(toResultSet(query))].join('').trimEnd()}`);
}
