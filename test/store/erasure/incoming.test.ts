import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { targetParameters } from '#service/contract/endpoints.ts';
import type { CrawlCheckpoint } from '#service/kinds/checkpoint.ts';
import { KIND_NAMES, kindTable } from '#service/kinds/kinds.ts';
import { eraseAccounts } from '#store/erasure/erase-accounts.ts';
import { recordErasure } from '#store/erasure/tombstones.ts';
import type { MentionsPolicy } from '#store/erasure/tombstones.ts';
import { parsePage } from '#store/normalise/parse-page.ts';
import { reprocessStore } from '#store/rebuild/rebuild.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { openStore, type Store } from '#store/store.ts';
import { prepareGroupCommit } from '#store/writer/group-commit.ts';
import { listOf } from '../../engine/support.ts';
import { createStoreFile } from '../../support/store-file.ts';
import { createTempDir } from '../../support/temp.ts';
import { all } from '../../world/worlds.ts';
import { openLeased, pageOf, progressOf, rows, spec, tweet, user } from '../support.ts';
import { PEOPLE, PERSON, type RandomPage, randomPage, TRACES } from './pages.ts';
import { scanFolder } from './scan.ts';

/** Commits a page as a crawl does, of a target that does not say whom it shows. Returns the crawl after it. */
async function commit(store: Store, page: RandomPage, at: number): Promise<CrawlRow> {
  const { endpoint } = page.request;
  const kind = KIND_NAMES.find((name) => kindTable[name].endpoint === endpoint)!;
  const isAccount = kindTable[kind].targetType === 'account';
  const target = isAccount ? 'somebody' : page.request.value;
  const { id, lease } = await openLeased(store, at, { kind, target, options: `{"maxPages":${at}}` });
  const body = Buffer.from(JSON.stringify({ data: page.data }));
  const { rows, summary } = parsePage({ data: page.data }, page.request);
  const parameters = JSON.stringify({ [targetParameters[page.request.endpoint]]: page.request.value });
  await store.write.commitPage(
    pageOf(id, lease, at, {
      rows,
      endpoints: [endpoint],
      responseIndex: 0,
      bodies: [
        {
          endpoint,
          parameters,
          status: 200,
          fetchedAt: at,
          body,
        },
      ],
      requests: [
        {
          endpoint,
          at,
          status: 200,
          ms: 1,
          bytes: body.length,
        },
      ],
      progress: progressOf({
        items: summary.itemIds.length,
        targetRestId: summary.owner?.restId ?? null,
        checkpoint: {
          cycleDetector: {
            firstPage: null,
            lastPage: null,
            recentCursors: [],
            olderCursor: null,
            emptyPages: 0,
          },
          isHandleVerified: false,
          firstIds: summary.itemIds.slice(0, 3),
        },
      }),
    }),
  );
  return store.read.crawl(id)!;
}

async function storePages(pages: readonly RandomPage[], mentions?: MentionsPolicy) {
  const directory = createTempDir();
  const path = createStoreFile(`${directory.path}/mine.db`);
  if (mentions) {
    using db = openDatabase(path);
    recordErasure(db, { restIds: [PERSON.id], handles: [PERSON.handle] }, { erasedAt: 1, mentions });
  }
  const crawls: CrawlRow[] = [];
  {
    await using store = openStore(path);
    for (const [i, page] of pages.entries()) crawls.push(await commit(store, page, 1000 + i));
  }
  return { path, crawls, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

/** Whether a page is about the person: the profile, a list or a tweet of theirs. */
const isAboutPerson = ({ request, data }: RandomPage): boolean => {
  const { summary, rows } = parsePage({ data }, request);
  const isTheirTweet = rows.tweets.some(
    ({ restId, authorRestId }) => restId === request.value && authorRestId === PERSON.id,
  );
  return request.endpoint === 'tweet-detail' ? isTheirTweet : summary.owner?.restId === PERSON.id;
};

describe('pages of all kinds that show a forgotten account', () => {
  test('leave none of it in the files, and all of the others', async () => {
    const input = fc.tuple(fc.array(randomPage, { minLength: 1, maxLength: 8 }), fc.constantFrom('keep', 'redact'));
    await fc.assert(
      fc.asyncProperty(input, async ([pages, mentions]) => {
        using stored = await storePages(pages, mentions);
        const { path, crawls } = stored;
        // With `keep`, the texts of others are kept as they are.
        expect(
          scanFolder(path, mentions === 'keep' ? TRACES.filter((text) => text !== PERSON.handle) : TRACES),
        ).toEqual([]);
        using db = openDatabase(path);
        const read = (sql: string) => db.$client.prepare<[], unknown>(sql).pluck().all();
        const others = pages
          .filter((page) => !isAboutPerson(page))
          .map(({ data, request }) => parsePage({ data }, request));
        const expected = (ids: readonly string[]): string[] => [...new Set(ids)].toSorted();
        expect(read('select rest_id from users order by 1')).toEqual(
          expected(
            others.flatMap(({ rows }) => rows.users.map(({ restId }) => restId)).filter((id) => id !== PERSON.id),
          ),
        );
        expect(read('select rest_id from tweets order by 1')).toEqual(
          expected(
            others.flatMap(({ rows }) =>
              rows.tweets.flatMap(({ restId, authorRestId }) => (authorRestId === PERSON.id ? [] : [restId])),
            ),
          ),
        );
        for (const [i, page] of pages.entries()) {
          const { rows, summary } = parsePage({ data: page.data }, page.request);
          const members = rows.follows.flatMap((list) => list.members);
          const tweets = rows.tweets.filter(({ authorRestId }) => authorRestId === PERSON.id);
          const erasedItems = members.length > 0 ? members.filter((id) => id === PERSON.id).length : tweets.length;
          expect(crawls[i]).toMatchObject(
            isAboutPerson(page)
              ? {
                  state: 'cancelled',
                  reason: 'erased',
                  target: '(forgotten)',
                  targetRestId: null,
                  handle: null,
                  items: 0,
                }
              : { state: 'running', erasedItems, items: summary.itemIds.length, rejectedItems: 0 },
          );
        }
        // A page is kept whole or not at all, and a step says why its body is not there.
        const shown = pages.map((page) => {
          const json = JSON.stringify([page.data, page.request]).toLowerCase();
          const traces = [PERSON.id, `"${PERSON.handle}"`, ...(mentions === 'redact' ? [`@${PERSON.handle}`] : [])];
          return traces.some((text) => json.includes(text.toLowerCase()));
        });
        expect(read('select withheld from _steps order by id')).toEqual(shown.map((is) => (is ? 'erased' : null)));
        expect(read('select s.id from _steps s join raw_pages r on r.id = s.first_raw_page_id order by 1')).toEqual(
          shown.flatMap((is, i) => (is ? [] : [i + 1])),
        );
      }),
      { numRuns: 25 },
    );
  });

  test('leave out the account of a handle that was erased before it was ever stored, and no later holder', async () => {
    // Too long to be a part of a random key or hash.
    const restId = '778899001122';
    const holder = (id: string, handle: string) => ({ id, rest_id: id, name: 'N', screen_name: handle });
    const pages = [
      holder('1002', 'bob2'),
      holder(restId, 'Zabledaux_Q'),
      holder(restId, 'renamed_q'),
      holder('9900', 'zabledaux_q'),
    ].map((user, i): RandomPage => ({
      request: { endpoint: 'followers', value: '55' },
      data: {
        user: holder('55', 'owner'),
        followers: { timeline: listOf([{ entryId: `u${i}`, sortIndex: '0', content: { user } }]) },
      },
    }));
    const directory = createTempDir();
    using _ = directory;
    const path = createStoreFile(`${directory.path}/mine.db`);
    const options = { path, mentions: 'keep', now: () => 1, onProgress: () => undefined } as const;
    await eraseAccounts({ ...options, accounts: { restIds: [], handles: ['zabledaux_q'] } });
    {
      await using store = openStore(path);
      for (const [i, page] of pages.entries()) await commit(store, page, 1000 + i);
    }
    using db = openDatabase(path);
    expect(all(db, 'select rest_id, screen_name from users order by 1')).toEqual([
      { rest_id: '1002', screen_name: 'bob2' },
      { rest_id: '55', screen_name: 'owner' },
      { rest_id: '9900', screen_name: 'zabledaux_q' },
    ]);
    expect(scanFolder(path, [restId, 'renamed_q'])).toEqual([]);
  });

  test('leave traces of everybody else: the scan finds an account that is not forgotten', async () => {
    const pages = fc.sample(randomPage, { numRuns: 40, seed: 7 });
    using stored = await storePages(pages);
    const found = scanFolder(stored.path, TRACES).join('\n');
    for (const text of TRACES) expect(found).toContain(text);
    expect(PEOPLE).toContain(PERSON);
  });

  test('are read again without it: a body that is still stored brings nobody back', async () => {
    using stored = await storePages(fc.sample(randomPage, { numRuns: 40, seed: 7 }));
    const { path } = stored;
    const count = (): number => {
      using db = openDatabase(path);
      return db.$client
        .prepare<[string], number>('select count(*) from users where rest_id = ?')
        .pluck()
        .get(PERSON.id)!;
    };
    expect(count()).toBe(1);
    {
      using db = openDatabase(path);
      recordErasure(db, { restIds: [PERSON.id], handles: [PERSON.handle] }, { erasedAt: 1, mentions: 'keep' });
      db.$client.prepare('delete from users where rest_id = ?').run(PERSON.id);
    }
    const { signal } = new AbortController();
    const { pages } = await reprocessStore({ path, signal, onProgress: () => undefined });
    expect([pages, count()]).toEqual([40, 0]);
  });

  test('redact what others write, and nothing else', async () => {
    const bob = { id: '1002', rest_id: '1002', name: 'Bob', screen_name: 'bob2' };
    const tweets = [
      'thanks @zabledaux_q, see you https://example.org/Zabledaux_Q/status/1 #zabledaux',
      'RT @Zabledaux_Q: velociraptors dislike marmalade',
      'rain @anna_b #Zabledaux_Q #anna_b',
    ].map((text, i) => ({
      content: { tweet: { id: `9${i}`, text, created_at: '2025-01-01T00:00:00.000Z', author: bob } },
    }));
    const data = { search_metadata: { query: 'x', count: 3 }, timeline: { instructions: [{ entries: tweets }] } };
    const page: RandomPage = { request: { endpoint: 'search', value: 'x' }, data };
    const read = async (mentions: MentionsPolicy) => {
      using stored = await storePages([page], mentions);
      using db = openDatabase(stored.path);
      return [
        'select text from tweets order by id',
        'select screen_name from tweet_mentions order by 1',
        'select url from tweet_links',
        'select tag from tweet_hashtags order by 1',
      ].map((sql) => all<Record<string, string>>(db, sql).flatMap((row) => Object.values(row)));
    };
    expect(await read('keep')).toEqual([
      tweets.map(({ content }) => content.tweet.text),
      ['anna_b', 'zabledaux_q', 'zabledaux_q'],
      ['https://example.org/Zabledaux_Q/status/1'],
      ['anna_b', 'zabledaux', 'zabledaux_q'],
    ]);
    expect(await read('redact')).toEqual([
      [
        'thanks (forgotten), see you https://example.org/(forgotten)/status/1 #zabledaux',
        'RT (forgotten): (forgotten)',
        'rain @anna_b #(forgotten) #anna_b',
      ],
      ['anna_b'],
      [],
      ['anna_b', 'zabledaux'],
    ]);
  });
});

describe('the ids of tweets of a forgotten account', () => {
  const at = 1000;
  const CHECKPOINT = {
    cycleDetector: { firstPage: null, lastPage: null, recentCursors: ['a'], olderCursor: null, emptyPages: 0 },
    isHandleVerified: false,
    firstIds: ['666', '2'],
    scan: {
      isFromTop: true,
      newest: { id: '666', at: 9 },
      oldest: { id: '2', at: 8 },
      tail: [{ id: '666', at: 9 }],
      outlier: null,
      pages: 1,
      items: 2,
    },
  } satisfies CrawlCheckpoint;
  const span = { newest: { id: '666', at: 9 }, oldest: { id: '2', at: 8 }, pages: 1, items: 2 };
  const tweetRows = rows({
    users: [user(PERSON.id), user('5')],
    tweets: [tweet('666', { authorRestId: PERSON.id }), tweet('2', { authorRestId: '5' })],
  });

  /** Stores the first page of a crawl of a community, which shows one such tweet. Returns the crawl and a new writer. */
  function storeFirstPage() {
    const directory = createTempDir();
    onTestFinished(() => directory[Symbol.dispose]());
    const db = openDatabase(createStoreFile(`${directory.path}/mine.db`));
    onTestFinished(() => void db.$client.close());
    recordErasure(db, { restIds: [PERSON.id], handles: [] }, { erasedAt: 1, mentions: 'keep' });
    const first = prepareGroupCommit(db);
    const run = (operation: 'openCrawls' | 'takeLease' | 'commitPage', ...args: unknown[]): unknown => {
      const [result] = first([{ operation, args }]);
      if ('error' in result!) throw result.error;
      return result!.value;
    };
    const [{ id }] = run('openCrawls', [spec({ kind: 'community', target: '7' })], at) as [{ id: number }];
    const { leaseToken: lease } = run('takeLease', id, at, 0) as { leaseToken: number };
    const coverage = { spans: [span] };
    const progress = progressOf({ cursor: 'a', checkpoint: CHECKPOINT, items: 2 });
    run('commitPage', pageOf(id, lease, at, { rows: tweetRows, coverage, progress }));
    return { db, id, lease, coverage };
  }

  const leftIn = ({ $client }: ReturnType<typeof openDatabase>): unknown[] =>
    ['crawls', 'coverage', 'gaps', '_steps', 'tweets'].filter((table) =>
      JSON.stringify($client.prepare(`select * from ${table}`).all()).includes('666'),
    );

  test.each([
    ['by another writer', false],
    ['by a group that is rolled back and runs again', true],
  ])('do not come back with a later page, stored %s', (_, isRolledBack) => {
    const { db, id, lease, coverage } = storeFirstPage();
    expect(leftIn(db)).toEqual([]);
    const writer = prepareGroupCommit(db);
    const page = (n: number, requestCursor: string, cursor: string | null) =>
      pageOf(id, lease, at + n, {
        requestCursor,
        coverage,
        progress: progressOf({ cursor, checkpoint: CHECKPOINT }),
        ...(cursor === null ? { end: { state: 'capped' as const, ending: 'served' as const } } : {}),
      });
    const calls = [page(1, 'a', 'b'), page(2, 'b', null)].map(
      (one) => ({ operation: 'commitPage', args: [one] }) as const,
    );
    const stale = { operation: 'commitPage', args: [pageOf(id, lease - 1, at + 3)] } as const;
    const outcomes = writer(isRolledBack ? [...calls, stale] : calls);
    expect(outcomes.map((one) => 'error' in one)).toEqual([false, false, ...(isRolledBack ? [true] : [])]);
    expect(leftIn(db)).toEqual([]);
    expect(db.$client.prepare('select checkpoint from crawls').pluck().get()).toContain('"firstIds":["2"]');
  });
});
