import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openDatabase } from '#store/sqlite/database.ts';
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
