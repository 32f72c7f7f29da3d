import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { openConnection } from '#store/sqlite/driver.ts';
import type { Store } from '#store/store.ts';
import { newStore, pageOf, readerOf, spec } from './support.ts';

const limitedTo = (maxTargets: number, target: string) =>
  spec({ target, options: JSON.stringify({ then: ['profile', 'timeline'], maxTargets }) });

/** Stores a page of a crawl that shows accounts. */
async function show(store: Store, id: number, at: number, accounts: readonly number[], maxTargets: number) {
  const { leaseToken: lease } = (await store.write.takeLease(id, at))!;
  const children = accounts.flatMap((account) =>
    ['profile', 'timeline'].map((kind) => spec({ kind, target: `id:${account}` })),
  );
  await store.write.commitPage(pageOf(id, lease, at, { children, maxTargets }));
}

const foundBy = (store: Store, ids: readonly number[]): string[] =>
  store.read
    .crawlTree(ids)
    .filter(({ id }) => !ids.includes(id))
    .map(({ kind, target }) => `${kind} ${target}`);

const pages = fc.array(
  fc.record({
    root: fc.nat(2),
    accounts: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 6 }),
    isAskedAgain: fc.boolean(),
  }),
  { maxLength: 8 },
);

it('the snowballs of one command share its limit of accounts', async () => {
  await fc.assert(
    fc.asyncProperty(pages, fc.integer({ min: 1, max: 8 }), async (shown, maxTargets) => {
      const store = newStore();
      const roots = ['anna', 'bob', 'eve'].map((target) => limitedTo(maxTargets, target));
      const ids = (await store.write.openCrawls(roots, 1)).map(({ id }) => id);
      for (const [n, { root, accounts, isAskedAgain }] of shown.entries()) {
        await show(store, ids[root]!, n + 2, accounts, maxTargets);
        // The command was killed, and is given again.
        if (isAskedAgain) await store.write.openCrawls(roots, n + 2);
      }
      const named = store.read.unfinished().filter(({ parentId }) => parentId === null);
      expect(named.map(({ id }) => id)).toEqual(ids);
      const wanted = [...new Set(shown.flatMap(({ accounts }) => accounts))]
        .slice(0, maxTargets)
        .flatMap((account) => [`profile id:${account}`, `timeline id:${account}`]);
      expect(new Set(foundBy(store, ids))).toEqual(new Set(wanted));
    }),
    { numRuns: 25 },
  );
});

test('a command that joins a snowball counts the accounts of that one only', async () => {
  const store = newStore();
  const [anna, bob] = (await store.write.openCrawls([limitedTo(4, 'anna'), limitedTo(4, 'bob')], 1)).map(
    ({ id }) => id,
  );
  await show(store, anna!, 2, [1, 2, 3], 4);
  await show(store, bob!, 3, [4, 5], 4);
  expect(foundBy(store, [anna!, bob!])).toHaveLength(2 * 4);
  await store.write.openCrawls([limitedTo(4, 'anna')], 4);
  await show(store, anna!, 5, [6, 7], 4);
  expect(foundBy(store, [anna!])).toHaveLength(2 * 4);
});

test('a resumed snowball keeps the limit of its command', async () => {
  const store = newStore();
  const [anna, bob] = (await store.write.openCrawls([limitedTo(3, 'anna'), limitedTo(3, 'bob')], 1)).map(
    ({ id }) => id,
  );
  await show(store, bob!, 2, [1, 2], 3);
  await store.write.cancelCrawls([anna!], 3);
  await store.write.resumeCrawls([{ id: anna!, options: limitedTo(3, 'anna').options }], 4);
  await show(store, anna!, 5, [3, 4], 3);
  expect(foundBy(store, [anna!, bob!])).toHaveLength(2 * 3);
});

test('a snowball from before runs counted accounts is counted by its found accounts', async () => {
  const store = newStore();
  const [anna] = (await store.write.openCrawls([limitedTo(3, 'anna')], 1)).map(({ id }) => id);
  await show(store, anna!, 2, [1, 2], 3);
  const $client = readerOf(store);
  const { name } = $client as unknown as { name: string };
  using writer = Object.assign(openConnection(name), { [Symbol.dispose]: () => writer.close() });
  writer.exec(
    'update crawls set target_limit_run_id = null; delete from _run_targets; update runs set target_count = 0',
  );
  await show(store, anna!, 3, [3, 4], 3);
  expect(foundBy(store, [anna!])).toHaveLength(2 * 3);
});
