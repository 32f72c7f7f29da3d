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
  const names = Object.keys(views).filter((name) => !dialect.hasOwnParts || !name.startsWith('_'));
  return [
    ...prelude,
    ...names.map((name) => {
      const query = dialect.hasOwnParts ? addParts(views, name) : views[name]!;
      return `create or replace view ${name} as\n  ${query.trim()}`;
    }),
  ];
}

/** Returns the query of a view with all views that it uses, directly or not, as common table expressions. */
function addParts(views: Views, name: string): string {
  const used = new Set<string>();
  const findUsed = (each: string): void => {
    for (const [word] of views[each]!.matchAll(/\b\w+/g)) {
      if (word === each || used.has(word) || !(word in views)) continue;
      used.add(word);
      findUsed(word);
    }
  };
  findUsed(name);
  const parts = Object.keys(views).filter((each) => used.has(each));
  if (parts.length === 0) return views[name]!;
  return `with ${parts.map((part) => `${part} as (\n  ${views[part]!.trim()}\n)`).join(', ')}\n${views[name]!.trim()}`;
}
