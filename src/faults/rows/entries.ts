import Type from 'typebox';
import type { EndpointName } from '../../contract/endpoints.ts';
import type { SeededRandom } from '../../seeded-random.ts';
import { decodeAliases, encodeAlias } from '../cursor-aliases.ts';
import { defineFault } from '../fault-row.ts';
import { PAGED } from './cursor-shapes.ts';
import { refuseCursor } from './cursors.ts';

/** Entries that are not where, or not as often as, they should be. */

const LISTS: readonly EndpointName[] = [
  ...PAGED,
  'user-tweets-replies',
  'search',
  'community-tweets',
  'list-latest-tweets',
];

const entries = (given: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 1000, default: given, description });

export const entryRows = {
  'move-entries': defineFault({
    description: 'The last entries of a page come on top of the next page instead.',
    outcome: 'same',
    endpoints: PAGED,
    options: Type.Object({ entries: entries(2, 'how many entries move') }),
    memory: () => ({ moved: new Map<number, readonly unknown[]>() }),
    // Started again, the twin knows no more what the cursor held: better no page than one without it.
    replaceRequest: ({ request, rule, memory }) =>
      decodeAliases(request.cursor).some((alias) => alias.rule === rule && !memory.moved.has(alias.mark))
        ? refuseCursor()
        : undefined,
    changePage(page, { request, isTriggered, rule, options, memory }) {
      const came = decodeAliases(request.cursor).find((alias) => alias.rule === rule);
      const items = [...(came ? memory.moved.get(came.mark)! : []), ...page.items];
      const moves = isTriggered && page.cursor !== null && items.length > options.entries;
      if (moves) {
        const mark = memory.moved.size;
        memory.moved.set(mark, items.splice(-options.entries));
        page.cursor = encodeAlias({ rule, to: page.cursor, mark });
      }
      if (moves || came) page.items = items;
      return moves || came !== undefined;
    },
  }),
  'repeat-entries': defineFault({
    description: 'The last entries of the page before come again on top of this page.',
    outcome: 'same',
    endpoints: PAGED,
    options: Type.Object({ entries: entries(2, 'how many entries come again') }),
    memory: () => ({ latest: [] as readonly unknown[] }),
    changePage(page, { request, isTriggered, options, memory }) {
      const again = request.cursor === undefined ? [] : memory.latest;
      memory.latest = page.items.slice(-options.entries);
      if (!isTriggered || again.length === 0) return false;
      page.items = [...again, ...page.items];
      return true;
    },
  }),
  'duplicate-entries': defineFault({
    description: 'Some entries stand twice on the page.',
    outcome: 'same',
    endpoints: LISTS,
    options: Type.Object({ entries: entries(2, 'how many entries are there twice') }),
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
    options: Type.Object({}),
    changePage(page, { random }) {
      if (page.items.length < 2) return false;
      page.items = shuffled(page.items, random);
      return true;
    },
  }),
  'pin-old-tweet': defineFault({
    description:
      'The oldest tweet that the list has shown so far stands on top of the first page, as if it were pinned.',
    outcome: 'same',
    endpoints: ['user-tweets', 'user-tweets-replies'],
    options: Type.Object({}),
    memory: () => ({ oldest: undefined as unknown }),
    changePage(page, { request, isTriggered, memory }) {
      const all = memory.oldest === undefined ? page.items : [memory.oldest, ...page.items];
      if (all.length === 0) return false;
      memory.oldest = all.reduce((oldest, entry) => (timeOf(entry) < timeOf(oldest) ? entry : oldest));
      if (!isTriggered || request.cursor !== undefined) return false;
      page.items = [memory.oldest, ...page.items];
      return true;
    },
  }),
  'lose-entries': defineFault({
    description: 'Entries are missing from a page, which nobody can notice. No honest service does so.',
    outcome: 'lost',
    endpoints: LISTS,
    options: Type.Object({ entries: entries(1, 'how many entries are missing') }),
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

function shuffled(items: readonly unknown[], dice: SeededRandom): unknown[] {
  const left = [...items];
  return items.map(() => left.splice(dice.integerBelow(left.length), 1)[0]);
}

const timeOf = (entry: unknown): string =>
  (entry as { content?: { tweet?: { created_at?: string } } }).content?.tweet?.created_at ?? '';
