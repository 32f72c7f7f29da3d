import { createCompletenessViews } from './completeness-views.ts';
import { createCoverageViews, createSearchWindows } from './coverage-views.ts';
import { type Dialect, DIALECTS, type Engine } from './dialect.ts';
import { createFactViews } from './fact-views.ts';
import { createFollowViews } from './follow-views.ts';
import { createHistoryViews } from './history-views.ts';
import { createTweetViews } from './tweet-views.ts';
import { createUserViews } from './user-views.ts';
import type { FactPlace, FactSource, Views } from './views.ts';

/**
 * Returns the views of facts, in an order in which they can be created: one of each fact table, without the facts of forgotten
 * accounts, and those that derive from them what the views of a store of the same name show.
 */
const defineViews = (dialect: Dialect, source: FactSource): Views => ({
  ...createFactViews(dialect, source),
  ...createUserViews(dialect),
  ...createTweetViews(dialect),
  ...createFollowViews(dialect),
  ...createHistoryViews(dialect),
  ...createSearchWindows(dialect),
  ...createCoverageViews(dialect),
  ...createCompletenessViews(dialect),
});

/** Returns the statements of an engine that create all views. */
export function createViews(engine: Engine, { prelude, source }: FactPlace): string[] {
  const dialect = DIALECTS[engine];
  const views = defineViews(dialect, source);
  const names = Object.keys(views).filter((name) => !dialect.hasOwnParts || !isPart(name));
  return [
    ...prelude,
    ...names.map((name) => {
      const query = dialect.hasOwnParts ? addParts(views, name) : views[name]!;
      return `create or replace view ${name} as\n  ${query.trim()}${dialect.suffix}`;
    }),
  ];
}

/** The views of forgotten accounts are used by all views of facts. */
const isPart = (name: string): boolean => name.startsWith('_') && !name.startsWith('_forgotten_');

const USED = /\b(from|join) (\w+)/g;

/** Returns the query of a view with its parts, and with each other view that it uses several times, as common table expressions. */
function addParts(views: Views, name: string): string {
  const parts = new Set<string>();
  const uses = new Map<string, number>();
  const findUses = (each: string): void => {
    for (const [, , used = ''] of views[each]!.matchAll(USED)) {
      if (!(used in views)) continue;
      if (!isPart(used)) uses.set(used, (uses.get(used) ?? 0) + 1);
      else if (!parts.has(used)) {
        parts.add(used);
        findUses(used);
      }
    }
  };
  findUses(name);
  const isShared = (used: string): boolean => (uses.get(used) ?? 0) > 1;
  const queryOf = (each: string): string =>
    views[each]!.trim().replaceAll(USED, (text, word: string, used: string) =>
      isShared(used) ? `${word} shared_${used}` : text,
    );
  const expressions = [
    ...[...uses.keys()].filter(isShared).map((used) => `shared_${used} as (select * from ${used})`),
    ...Object.keys(views).flatMap((part) => (parts.has(part) ? `${part} as (\n  ${queryOf(part)}\n)` : [])),
  ];
  return expressions.length === 0 ? queryOf(name) : `with ${expressions.join(', ')}\n${queryOf(name)}`;
}
