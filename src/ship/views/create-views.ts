import { addParts } from './add-parts.ts';
import { defineViews, isPart } from './define-views.ts';
import { type Dialect, DIALECTS, type Engine } from './dialect.ts';
import type { FactPlace, Views } from './views.ts';

/** Returns the statements of an engine that create all views. */
export function createViews(engine: Engine, { prelude, source }: FactPlace): string[] {
  const dialect = DIALECTS[engine];
  const views = defineViews(dialect, source);
  const names = Object.keys(views).filter((name) => !dialect.hasOwnParts || !isPart(name));
  return [...prelude, ...names.map((name) => createView(dialect, views, name))];
}

/** Returns the statement that creates a view. */
export function createView({ hasOwnParts, as, suffix }: Dialect, views: Views, name: string): string {
  const query = hasOwnParts ? addParts(views, name, as) : views[name]!.trim();
  return `create or replace view ${name} as\n  ${query}${suffix}`;
}
