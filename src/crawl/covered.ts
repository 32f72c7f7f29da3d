import type { CoveredSpan } from '../store/messages.ts';

/**
 * The interval that a page of a newest-first list shows without a gap; undefined when the page is not in order, so that
 * nothing can be claimed. A first page may begin with a pinned item, which is left out. `above` is the oldest time of
 * the pages before.
 */
export function coveredSpan(
  page: { itemIds: readonly string[]; itemTimes: readonly (number | null)[] },
  above: number | null,
): CoveredSpan | undefined {
  const items = page.itemIds.map((id, i) => ({ id, at: page.itemTimes[i] ?? null }));
  if (above === null && items.length > 1 && (items[0]!.at ?? 0) < (items[1]!.at ?? 0)) items.shift();
  const [newest] = items;
  const oldest = items.at(-1);
  if (newest?.at == null || oldest?.at == null) return undefined;
  let previous = above ?? newest.at;
  for (const { at } of items) {
    if (at === null || at > previous) return undefined;
    previous = at;
  }
  return { newestId: newest.id, newestAt: newest.at, oldestId: oldest.id, oldestAt: oldest.at };
}
