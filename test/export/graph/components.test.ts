import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { createStore, edgesOf, idOf, nodesOf } from './support.ts';

/** Networks of random edges, compared with searches that visit one node after the other. */

const USERS = 14;
const user = fc.integer({ min: 1, max: USERS });
const edges = fc.uniqueArray(fc.tuple(user, user), { maxLength: 24, selector: String });

type Edges = readonly (readonly [number, number])[];

const neighbours = (list: Edges, node: number): number[] =>
  list.flatMap(([a, b]) => (a === node ? [b] : b === node ? [a] : []));

/** The nodes at most `depth` steps from the start. */
function reach(list: Edges, start: readonly number[], depth: number): Set<number> {
  const found = new Set(start);
  for (let step = 0; step < depth; step++)
    for (const node of Array.from(found)) for (const other of neighbours(list, node)) found.add(other);
  return found;
}

const createUsers = (): string => createStore((store) => store.users(USERS));

/** Replaces the follows of the store. */
function setFollows(path: string, list: Edges): void {
  using database = openDatabase(path);
  const insert = database.$client.prepare(
    'insert into follows (follower_id, followee_id, first_seen_at, last_seen_at) values (?, ?, 1, 1)',
  );
  database.$client.exec('delete from follows');
  for (const edge of list) insert.run(...edge);
}

const format = (list: Edges): string[] => list.map(([a, b]) => `${a} ${b} 1`).toSorted();
const sorted = (nodes: Iterable<number>): string[] => [...nodes].map(String).toSorted();

test('the largest component has the most nodes, and all of their edges', () => {
  const path = createUsers();
  fc.assert(
    fc.property(edges, (list) => {
      const components = list.map(([a]) => reach(list, [a], USERS));
      const size = Math.max(0, ...components.map((nodes) => nodes.size));
      const largest = components
        .filter((nodes) => nodes.size === size)
        .toSorted((a, b) => Math.min(...a) - Math.min(...b))[0];
      setFollows(path, list);
      expect(nodesOf(path, 'follows', { isLargestComponent: true })).toEqual(sorted(largest ?? []));
      expect(edgesOf(path, 'follows', { isLargestComponent: true })).toEqual(
        format(list.filter(([a]) => largest?.has(a))),
      );
    }),
    { numRuns: 40 },
  );
});

test('a depth selects the nodes so many steps from the accounts, in either direction, and the edges among them', () => {
  const path = createUsers();
  fc.assert(
    fc.property(
      edges,
      fc.uniqueArray(user, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 0, max: 4 }),
      (list, accounts, depth) => {
        const expected = reach(list, accounts, depth);
        setFollows(path, list);
        const selection = { accountRestIds: accounts.map(idOf), depth };
        expect(nodesOf(path, 'follows', selection)).toEqual(sorted(expected));
        expect(edgesOf(path, 'follows', selection)).toEqual(
          format(list.filter(([a, b]) => expected.has(a) && expected.has(b))),
        );
      },
    ),
    { numRuns: 40 },
  );
});

test('components are those of the edges that the other filters leave', () => {
  const path = createUsers();
  setFollows(path, [
    [1, 2],
    [2, 3],
    [3, 4],
    [4, 5],
    [6, 7],
    [7, 8],
  ]);
  // At most one step from 2 and 7: 1-2-3 and 6-7-8; then the component with the smallest id.
  const selection = { accountRestIds: [idOf(2), idOf(7)], depth: 1, isLargestComponent: true };
  expect(nodesOf(path, 'follows', selection)).toEqual(['1', '2', '3']);
});
