import { describe, expect, it } from 'vitest';
import { rebuild } from '#store/rebuild/rebuild.ts';
import { openReadOnly } from '#store/sqlite/database.ts';
import { type Answer, crawlAgainst, people, profile, reference } from './support.ts';

const ada = reference('1', 'ada');
const following = (ids: readonly number[], next: string | null = null): Answer => {
  const users = ids.map((id) => reference(String(id), `p${id}`));
  return people('following', ada, users, next);
};

/** A service whose lists of followed accounts are these, one for each crawl, on two pages. */
function serviceOf(lists: readonly (readonly number[])[]) {
  let nth = -1;
  return {
    'user-profile': () => profile('1', 'ada', 0, { following: lists[nth]!.length }),
    following({ cursor }: Record<string, string>) {
      if (cursor === undefined) nth += 1;
      const [first, ...others] = lists[nth]!;
      return cursor === undefined ? following([first!], 'two') : following(others);
    },
  };
}

/** Asks a store, and leaves no connection open that would keep a rebuild from it. */
function ask(path: string, sql: string): unknown[] {
  const { $client } = openReadOnly(path);
  try {
    return $client.prepare(sql).all();
  } finally {
    $client.close();
  }
}

describe('a cached list of followed accounts is one observation (invariant 7; spec, Endpoint rules 5)', () => {
  const EDGES = `select u.rest_id as id, f.first_missed_at is not null as isMissed, f.ended_at is not null as hasEnded
    from follows f join users u on u.id = f.followee_id where f.first_missed_at is not null`;

  it.each([
    ['with raw bodies', true],
    ['without raw bodies', false],
  ])('%s', async (_, keepRaw) => {
    const lists = [
      [2, 3, 4],
      [2, 3],
      [2, 3],
      [2, 3, 5],
    ];
    const { run, store } = await crawlAgainst(serviceOf(lists), { keepRaw });
    const missed = [{ id: '4', isMissed: 1, hasEnded: 0 }];
    await run('following', 'id:1');
    await run('following', 'id:1');
    expect(ask(store.path, EDGES)).toEqual(missed);
    await run('following', 'id:1');
    expect(ask(store.path, EDGES)).toEqual(missed);
    await run('following', 'id:1');
    expect(ask(store.path, EDGES)).toEqual([{ id: '4', isMissed: 1, hasEnded: 1 }]);

    const digests = () =>
      ask(store.path, 'select body_digest from _list_snapshots').map(
        (row) => (row as { body_digest: string }).body_digest,
      );
    const live = digests();
    expect(live[1]).toBe(live[2]);
    expect(new Set(live).size).toBe(3);
    if (!keepRaw) return;
    await store[Symbol.asyncDispose]();
    await rebuild({ path: store.path, signal: new AbortController().signal, onProgress: () => undefined });
    expect(digests()).toEqual(live);
    expect(ask(store.path, EDGES)).toEqual([{ id: '4', isMissed: 1, hasEnded: 1 }]);
  });
});
