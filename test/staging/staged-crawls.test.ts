import { expect, test } from 'vitest';
import { type Answer, crawlAgainst, followers, profile, reference, type Script, timeline } from '../engine/support.ts';
import { readerOf } from '../store/support.ts';

const nasa = reference('1', 'nasa');
const people = (...ids: string[]) => ids.map((id) => reference(id, `s${id}`));

const SCRIPTS: Readonly<Record<string, { readonly kind: string; readonly target: string; readonly script: Script }>> = {
  'a list of three pages': {
    kind: 'followers',
    target: 'id:1',
    script: {
      followers: ({ cursor }) =>
        cursor === undefined
          ? followers(nasa, people('2', '3'), 'A')
          : followers(nasa, people(cursor === 'A' ? '4' : '5'), cursor === 'A' ? 'B' : null),
    },
  },
  'a rejected item and an unknown field': {
    kind: 'followers',
    target: 'id:1',
    script: {
      followers: () =>
        followers(
          nasa,
          [
            ...people('2'),
            { id: {} },
            {
              ...people('3')[0],
              mood: 'odd',
            },
          ],
          null,
        ),
    },
  },
  'a handle, and a timeline': {
    kind: 'timeline',
    target: 'nasa',
    script: {
      'user-profile': () => profile('1', 'nasa'),
      'user-tweets': ({ cursor }) => timeline(nasa, cursor ? ['10@1'] : ['12@3', '11@2'], cursor ? null : 'A'),
    },
  },
  'followed accounts, whose bodies are hashed': {
    kind: 'following',
    target: 'id:1',
    script: {
      following: ({ cursor }): Answer => ({
        data: {
          user: nasa,
          following: {
            timeline: {
              instructions: [
                {
                  entries: people(cursor ? '3' : '2').map((user) => ({
                    entryId: `user-${user.id}`,
                    content: { user },
                  })),
                  ...(cursor
                    ? {}
                    : {
                        cursor: {
                          value: 'A',
                          cursorType: 'Bottom',
                        },
                      }),
                },
              ],
            },
          },
        },
      }),
    },
  },
  'the answer is about another account': {
    kind: 'followers',
    target: 'id:1',
    script: { followers: () => followers(reference('9', 'esa'), people('2'), null) },
  },
  'a list that is no list': {
    kind: 'followers',
    target: 'id:1',
    script: {
      followers: () => ({
        data: {
          user: nasa,
          followers: { timeline: { instructions: 'none' } },
        },
      }),
    },
  },
  'no JSON': { kind: 'followers', target: 'id:1', script: { followers: () => ({ status: 200, body: '<html>' }) } },
};

const TABLES = [
  'users',
  'follows',
  'tweets',
  'raw_pages',
  'requests',
  'rejects',
  '_drift',
  '_dropped_fields',
  '_steps',
  '_list_snapshots',
];
const TIMES = /(_at|^at|duration_ms|first_seen|last_seen)$/;

/** How the times within a text are left out. The top of a list is as new as its request. */
const WITHOUT_TIMES: Readonly<Record<string, (text: string) => unknown>> = {
  headers: (text) => ({ ...(JSON.parse(text) as object), date: undefined }),
  outcome: (text) => text.replace(/"below":\d+/, '"below":0'),
};

/** Crawls, and returns the crawl and the stored rows without times. */
async function crawl(name: string, isStaged: boolean) {
  const { kind, target, script } = SCRIPTS[name]!;
  const { run, store, asked } = await crawlAgainst(script, { threaded: true, staged: isStaged });
  const { crawl: row, slice } = await run(kind, target);
  const db = readerOf(store);
  const withoutTimes = (each: object) =>
    Object.fromEntries(
      Object.entries(each)
        .filter(([key]) => !TIMES.test(key))
        .map(([key, value]) => [
          key,
          typeof value === 'string' ? (WITHOUT_TIMES[key]?.(value) ?? value) : (value as unknown),
        ]),
    );
  const tables = TABLES.map((table) => [
    table,
    (db.prepare(`select * from ${table}`).all() as object[]).map(withoutTimes),
  ]);
  const { state, reason, error, requests, checkpoint, rejectedItems, items } = row;
  const { cursorOrigin: _, ...kept } = (checkpoint === null ? {} : JSON.parse(checkpoint)) as Record<string, unknown>;
  return { next: slice.next, asked, state, reason, error, requests, rejectedItems, items, kept, tables };
}

test.each(Object.keys(SCRIPTS))('staged or not, a crawl stores and reports the same: %s', async (name) => {
  expect(await crawl(name, true)).toEqual(await crawl(name, false));
});
