import type { SeededRandom } from '#base/seeded-random.ts';
import { endpointTable } from '#service/contract/endpoints.ts';
import { decodeAliases, encodeAlias, findAlias } from '#twin/faults/definition/cursor-aliases.ts';
import { integer } from '#twin/faults/definition/fault-options.ts';
import { defineFault } from '#twin/faults/definition/fault-row.ts';
import { refuseCursor, PAGED } from './cursor-faults.ts';

/** Faults of the position and number of entries. */

/** Endpoints of lists; that of a tweet with its replies is none. */
const LISTS = Object.values(endpointTable).flatMap(({ name, layout }) => (layout && !layout.optional ? name : []));

const entryCount = (defaultValue: number, description: string) => integer([1, 1000], defaultValue, description);

export const entryRows = {
  'move-entries': defineFault({
    description: 'The last entries of a page move to the top of the next page.',
    outcome: 'same',
    endpoints: PAGED,
    options: { entries: entryCount(2, 'how many entries move') },
    createState: () => ({ moved: new Map<number, readonly unknown[]>() }),
    // After a restart of the twin the moved entries are lost; it refuses the cursor instead of losing them silently.
    replaceRequest: ({ request, rule, state }) =>
      decodeAliases(request.cursor).some((alias) => alias.rule === rule && !state.moved.has(alias.value))
        ? refuseCursor()
        : undefined,
    changePage(page, { request, isTriggered, rule, options, state }) {
      const alias = findAlias(request.cursor, rule);
      const items = [...(alias ? state.moved.get(alias.value)! : []), ...page.items];
      const isMoved = isTriggered && page.cursor !== null && items.length > options.entries;
      if (isMoved) {
        const number = state.moved.size;
        state.moved.set(number, items.splice(-options.entries));
        page.cursor = encodeAlias({ rule, target: page.cursor, value: number });
      }
      if (isMoved || alias) page.items = items;
      return isMoved || alias !== undefined;
    },
  }),
  'repeat-entries': defineFault({
    description: 'The last entries of the previous page are repeated at the top of this page.',
    outcome: 'same',
    endpoints: PAGED,
    options: { entries: entryCount(2, 'how many entries are repeated') },
    createState: () => ({ latest: [] as readonly unknown[] }),
    changePage(page, { request, isTriggered, options, state }) {
      const repeated = request.cursor === undefined ? [] : state.latest;
      state.latest = page.items.slice(-options.entries);
      if (!isTriggered || repeated.length === 0) return false;
      page.items = [...repeated, ...page.items];
      return true;
    },
  }),
  'duplicate-entries': defineFault({
    description: 'Some entries are on the page twice.',
    outcome: 'same',
    endpoints: LISTS,
    options: { entries: entryCount(2, 'how many entries are duplicated') },
    changePage(page, { random, options }) {
      const items = [...page.items];
      if (items.length === 0) return false;
      for (let i = 0; i < options.entries; i += 1)
        items.splice(random.integerBelow(items.length + 1), 0, items[random.integerBelow(items.length)]);
      page.items = items;
      return true;
    },
  }),
  'shuffle-entries': defineFault({
    description: 'The entries of a page are in another order.',
    outcome: 'same',
    endpoints: LISTS,
    changePage(page, { random }) {
      if (page.items.length < 2) return false;
      page.items = shuffle(page.items, random);
      return true;
    },
  }),
  'pin-old-tweet': defineFault({
    description: 'The oldest tweet that the list has shown so far is at the top of the first page, like a pinned one.',
    outcome: 'same',
    endpoints: ['user-tweets', 'user-tweets-replies'],
    createState: () => ({ oldest: undefined as unknown }),
    changePage(page, { request, isTriggered, state }) {
      const candidates = state.oldest === undefined ? page.items : [state.oldest, ...page.items];
      if (candidates.length === 0) return false;
      state.oldest = candidates.reduce((oldest, entry) => (timeOf(entry) < timeOf(oldest) ? entry : oldest));
      if (!isTriggered || request.cursor !== undefined) return false;
      page.items = [state.oldest, ...page.items];
      return true;
    },
  }),
  'lose-entries': defineFault({
    description: 'Entries are missing from a page, which nobody can detect. No honest service does this.',
    outcome: 'lost',
    endpoints: LISTS,
    options: { entries: entryCount(1, 'how many entries are missing') },
    changePage(page, { random, options }) {
      const items = [...page.items];
      if (items.length === 0) return false;
      for (let i = 0; i < options.entries && items.length > 0; i += 1)
        items.splice(random.integerBelow(items.length), 1);
      page.items = items;
      return true;
    },
  }),
};

function shuffle(items: readonly unknown[], random: SeededRandom): unknown[] {
  const remaining = [...items];
  return items.map(() => remaining.splice(random.integerBelow(remaining.length), 1)[0]);
}

const timeOf = (entry: unknown): string =>
  (entry as { content?: { tweet?: { created_at?: string } } }).content?.tweet?.created_at ?? '';
