import { addParts } from './add-parts.ts';
import { createView } from './create-views.ts';
import { defineViews, isDerived, isPart } from './define-views.ts';
import { DIALECTS, type Engine } from './dialect.ts';
import type { FactPlace } from './views.ts';

/** The table with the time at which the others were created. */
const CREATED = 'tables_created';

/**
 * Returns the statements of an engine that create tables with the rows that the derived views have now, each from those before,
 * and the views of facts. Facts and forgotten accounts that arrive later are not in these tables until they are created again.
 */
export function createTables(engine: Engine, { prelude, source, tables }: FactPlace): string[] {
  const dialect = DIALECTS[engine];
  const { milliseconds, isoTime, now, suffix, createTable, begin, commit } = dialect;
  const views = defineViews(dialect, source);
  const names = Object.keys(views).filter((name) => !isPart(name));
  const derived = names.filter(isDerived);
  // Views of facts are replaced before the transaction, which would lock them.
  return [
    ...prelude,
    ...names.filter((name) => !isDerived(name)).map((name) => createView(dialect, views, name)),
    ...begin,
    ...(tables?.prelude ?? []),
    ...createTable(CREATED, `select ${isoTime(milliseconds(now))} as created_at`),
    ...derived.flatMap((name) => createTable(name, `${addParts(views, name, dialect.as, isDerived)}${suffix}`)),
    ...(tables?.replace([CREATED, ...derived]) ?? []),
    ...commit,
  ];
}
