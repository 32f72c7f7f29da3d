import { addParts } from './add-parts.ts';
import { createView } from './create-views.ts';
import { defineViews, isDerived, isPart } from './define-views.ts';
import { DIALECTS, type Engine } from './dialect.ts';
import type { FactPlace } from './views.ts';

/** The table with the time at which the others were created. */
const CREATED = 'tables_created';
/** The columns by which tables are sorted: the followers of an account are together, among millions of edges. */
const EDGE_ORDER = ['followee_rest_id', 'follower_rest_id'];
const ORDER: Readonly<Record<string, readonly string[]>> = { v_follows: EDGE_ORDER, v_current_follows: EDGE_ORDER };

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
    ...createTable(CREATED, `select ${isoTime(milliseconds(now))} as created_at`, []),
    ...derived.flatMap((name) =>
      createTable(name, `${addParts(views, name, dialect.as, isDerived)}${suffix}`, ORDER[name] ?? []),
    ),
    ...(tables?.replace([CREATED, ...derived]) ?? []),
    ...commit,
  ];
}
