import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UserRow } from '#store/schema/normalised-rows.ts';
import type { Store } from '#store/store.ts';
import { tempFile } from '../support/temp.ts';
import { newStore, openLeased, pageOf, readerOf, rows } from './support.ts';

const person = (restId: string, more: Partial<UserRow> = {}): UserRow => ({
  restId,
  detailLevel: 'summary',
  screenName: `s${restId}`,
  name: 'same',
  followersCount: 1,
  ...more,
});

/** A crawl that stores pages of users. */
async function crawlOn(store: Store, target: string) {
  const { id, lease } = await openLeased(store, 1, { target });
  return (at: number, ...users: UserRow[]) => store.write.commitPage(pageOf(id, lease, at, { rows: rows({ users }) }));
}

const userOf = (store: Store, restId = '1'): unknown =>
  readerOf(store)
    .prepare(
      'select name, followers_count, first_seen_at, last_seen_at from users join _user_last_seen on user_id = id where rest_id = ?',
    )
    .get(restId);

describe('a cached user', () => {
  it('is stored again after a change, and after a change back', async () => {
    const store = newStore();
    const see = await crawlOn(store, 'a');
    for (const [i, name] of ['x', 'x', 'y', 'x', 'x'].entries()) await see(10 * (i + 1), person('1', { name }));
    expect(userOf(store)).toEqual({ name: 'x', followers_count: 1, first_seen_at: 10, last_seen_at: 50 });
    expect(readerOf(store).prepare('select name, last_seen_at, changed_at from user_history').all()).toEqual([
      { name: 'x', last_seen_at: 20, changed_at: 30 },
      { name: 'y', last_seen_at: 30, changed_at: 40 },
    ]);
  });

  it('is read again after another process wrote', async () => {
    const file = tempFile('store.db');
    const [one, other] = [newStore(file), newStore(file)];
    const [see, seeElsewhere] = [await crawlOn(one, 'a'), await crawlOn(other, 'b')];
    await see(10, person('1', { name: 'x' }));
    await see(20, person('1', { name: 'x' }));
    await seeElsewhere(30, person('1', { name: 'y' }));
    await see(40, person('1', { name: 'x' }));
    expect(userOf(one)).toMatchObject({ name: 'x', last_seen_at: 40 });
  });

  it('is read again after a rollback', async () => {
    const store = newStore();
    const see = await crawlOn(store, 'a');
    await expect(see(10, person('1'), person('2', { name: {} as never }))).rejects.toThrow('SQLite3 can only bind');
    expect(await see(20, person('1'))).toMatchObject({ newItems: 1 });
    expect(userOf(store)).toMatchObject({ first_seen_at: 20 });
  });

  it('is read again after another kind of page changed the row', async () => {
    const store = newStore();
    const see = await crawlOn(store, 'a');
    await see(10, person('1', { name: 'x' }));
    await see(20, { restId: '1', detailLevel: 'reference', name: 'y' });
    await see(30, person('1', { name: 'x' }));
    expect(userOf(store)).toMatchObject({ name: 'x', last_seen_at: 30 });
  });

  it('has the same row as without a cache, for any observations', async () => {
    const observation = fc.record({
      restId: fc.constantFrom('1', '2', '3'),
      name: fc.constantFrom('x', 'y', null),
      followersCount: fc.constantFrom(1, 2, null),
      detailLevel: fc.constantFrom('summary', 'summary', 'reference', 'profile') as fc.Arbitrary<
        UserRow['detailLevel']
      >,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), observation), { maxLength: 25 }),
        async (seen) => {
          const all = async (remembers: boolean): Promise<unknown> => {
            const store = newStore();
            const see = await crawlOn(store, 'a');
            for (const [i, [at, user]] of seen.entries()) {
              await see(at * 10, user);
              // A write of another process clears the cache.
              if (!remembers) await (await crawlOn(newStore(store.path), `b${i}`))(1, person('9'));
            }
            return readerOf(store)
              .prepare("select * from users join _user_last_seen on user_id = id where rest_id <> '9' order by rest_id")
              .all()
              .map((row) => ({ ...(row as object), id: 0, user_id: 0 }));
          };
          expect(await all(true)).toEqual(await all(false));
        },
      ),
      { numRuns: 8 },
    );
  }, 60_000);
});
