import { RESUMABLE_STATES, UNFINISHED_STATES, type CrawlFilter, listCrawlIds } from '#analysis/crawls/crawl-list.ts';
import { splitIntoBatches } from '#base/batches.ts';
import { systemClock } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { pluralize } from '#base/text.ts';
import type { ActionTable } from '#dashboard/server/http/actions.ts';
import { parseCrawlFilter } from '#dashboard/server/pages/list-crawls.ts';
import { resumeStoredCrawls } from '#library/run/begin-run.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import { openReadOnly } from '#store/sqlite/database.ts';
import type { Store } from '#store/store.ts';
import { type ActionParts, queueConfirmedCrawls } from './queue-confirmed-crawls.ts';

/**
 * The crawls that a request names: by their ids, or by the query of a list with the number that its user has seen. All
 * crawls of the list that the action concerns are meant, and only if they are still so many.
 */
type Scope = { readonly ids: readonly number[] } | { readonly query: string; readonly expected: number };

/** The changes of crawls that pages of the dashboard make. They do what `trawl crawls cancel` and `resume` do. */
export function createCrawlActions(parts: ActionParts): ActionTable {
  const { store } = parts;
  const findIds = (input: unknown, states: CrawlRow['state'][], more: CrawlFilter): readonly number[] => {
    const scope = parseScope(input);
    return 'ids' in scope ? requireCrawls(store, scope.ids) : findMatching(store.path, scope, states, more);
  };
  return {
    'crawls/cancel': async (input) => {
      const ids = findIds(input, [...UNFINISHED_STATES], {});
      let cancelled = 0;
      // In batches, so that no transaction holds up the pages of other crawls.
      for (const batch of splitIntoBatches(ids))
        cancelled += (await store.write.cancelCrawls(batch, systemClock.now())).length;
      return { cancelled };
    },
    'crawls/resume': async (input) => {
      const ids = findIds(input, [...RESUMABLE_STATES], { hasStopped: true });
      const { results, openedFor } = await resumeStoredCrawls(parts, ids);
      const refused = results.flatMap((result) => ('refused' in result ? [result.refused] : []));
      return { resumed: openedFor.size, refused };
    },
    'crawls/repeat': async (input) => {
      const ids = findIds(input, [], {});
      const known = store.read.crawls(ids);
      if (known.some(({ reason }) => reason === 'erased')) throw new UsageError('the account of a crawl is forgotten');
      const specs = known.map(({ kind, target, handle, options, priority }) => ({
        kind,
        target,
        handle,
        options,
        priority,
      }));
      return await queueConfirmedCrawls(specs, parts);
    },
  };
}

/** @throws UsageError for anything but a scope */
function parseScope(input: unknown): Scope {
  const { ids, query, expected } = (input ?? {}) as Readonly<Record<string, unknown>>;
  if (Array.isArray(ids) && ids.length > 0 && ids.every((id) => Number.isSafeInteger(id))) return { ids };
  if (typeof query === 'string' && Number.isSafeInteger(expected)) return { query, expected: expected as number };
  throw new UsageError('name crawls by ids, or by query and expected');
}

function requireCrawls(store: Store, ids: readonly number[]): readonly number[] {
  const known = new Set(store.read.crawls(ids).map(({ id }) => id));
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length > 0) throw new UsageError(`there is no crawl ${missing.join(', ')}`);
  return [...new Set(ids)];
}

/** The ids of the crawls of a list in some states. @throws UsageError if they are not as many as expected */
function findMatching(
  path: string,
  { query, expected }: Extract<Scope, { query: string }>,
  states: readonly CrawlRow['state'][],
  more: CrawlFilter,
): readonly number[] {
  const filter = parseCrawlFilter(Object.fromEntries(new URLSearchParams(query)));
  const wanted = states.filter((state) => filter.states?.includes(state) ?? true);
  const db = openReadOnly(path);
  try {
    const { ids } = listCrawlIds(db, { ...filter, ...more, states: wanted }, { limit: Number.MAX_SAFE_INTEGER });
    if (ids.length === expected) return ids;
    const found = pluralize(ids.length, 'crawl matches', 'crawls match');
    throw new UsageError(`nothing was changed: ${found} now, not ${expected}`, { hint: 'Look at the list again.' });
  } finally {
    db.$client.close();
  }
}
