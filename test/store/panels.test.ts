import { describe, expect, test } from 'vitest';
import type { CrawlEnd } from '#service/kinds/decide-end.ts';
import { addMembers, createPanel, deletePanel, removeMembers } from '#store/panels/edit-panels.ts';
import { readMemberships, readPanelMembers, readPanels } from '#store/panels/panels.ts';
import type { PageCommit } from '#store/schema/commit-messages.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import type { Store } from '#store/store.ts';
import { all, emptyStore } from '../world/worlds.ts';
import { newStore, openLeased, pageOf, progressOf, readerOf, rows, user } from './support.ts';

const member = (restId: string, handle: string | null = null, note: string | null = null) => ({ restId, handle, note });

describe('a panel', () => {
  test('has members in the order of their addition, each once, with their latest notes', () => {
    const db = emptyStore();
    createPanel(db, { name: 'stars', description: 'of the study' }, 0);
    const first = [member('9', 'nasa', 'first'), member('10', 'esa'), member('9', 'nasa')];
    expect(addMembers(db, 'stars', first, 1000)).toEqual({ added: ['9', '10'], noted: [], unchanged: ['9'] });
    const again = [member('9', 'other', 'second'), member('10'), member('2')];
    expect(addMembers(db, 'stars', again, 2000)).toEqual({ added: ['2'], noted: ['9'], unchanged: ['10'] });
    expect(readPanelMembers(db, 'stars').map(({ restId, handle, note }) => [restId, handle, note])).toEqual([
      ['9', 'nasa', 'second'],
      ['10', 'esa', null],
      ['2', null, null],
    ]);
    expect(readPanels(db)).toEqual([
      {
        name: 'stars',
        description: 'of the study',
        createdAt: '1970-01-01T00:00:00.000Z',
        members: 3,
        renamed: 0,
        unavailable: 0,
        unseen: 3,
      },
    ]);
  });

  test('keeps the memberships that ended', () => {
    const db = emptyStore();
    createPanel(db, { name: 'stars' }, 0);
    addMembers(db, 'stars', [member('1', 'ada'), member('2', 'bob')], 1000);
    removeMembers(db, 'stars', ['1'], 2000);
    addMembers(db, 'stars', [member('1', 'ada_now')], 3000);
    expect(readPanelMembers(db, 'stars').map(({ restId, handle }) => [restId, handle])).toEqual([
      ['2', 'bob'],
      ['1', 'ada_now'],
    ]);
    expect(readMemberships(db, 'stars').map(({ restId, addedAt, removedAt }) => [restId, addedAt, removedAt])).toEqual([
      ['1', '1970-01-01T00:00:01.000Z', '1970-01-01T00:00:02.000Z'],
      ['2', '1970-01-01T00:00:01.000Z', null],
      ['1', '1970-01-01T00:00:03.000Z', null],
    ]);
  });

  test('is deleted with its memberships, and no other one is', () => {
    const db = emptyStore();
    for (const name of ['stars', 'news']) addMembers(db, name, [member('1')], 1000, { create: true });
    deletePanel(db, 'stars');
    expect(all(db, 'select panel, rest_id from v_panel_members')).toEqual([{ panel: 'news', rest_id: '1' }]);
    expect(readPanels(db)).toMatchObject([{ name: 'news', members: 1 }]);
  });

  test('has a unique name that commands and file names can contain', () => {
    const db = emptyStore();
    createPanel(db, { name: 'stars-2' }, 0);
    expect(() => createPanel(db, { name: 'stars-2' }, 0)).toThrow('there is already a panel stars-2');
    for (const name of ['', 'a b', '-a', '../a', 'ä', 'a'.repeat(65)])
      expect(() => createPanel(db, { name }, 0)).toThrow('cannot be the name of a panel');
    expect(readPanels(db).map(({ name }) => name)).toEqual(['stars-2']);
  });

  test('that is unknown is an error with similar names', () => {
    const db = emptyStore();
    const read = (name: string) => () => readPanelMembers(db, name);
    expect(read('stars')).toThrow(
      expect.objectContaining({
        message: 'there is no panel stars',
        command: expect.objectContaining({ name: 'panel create' }),
      }),
    );
    for (const name of ['stars', 'news']) createPanel(db, { name }, 0);
    expect(read('strs')).toThrow(
      expect.objectContaining({ hint: 'Did you mean stars?', command: expect.objectContaining({ name: 'panel' }) }),
    );
    expect(read('xyz')).toThrow(expect.objectContaining({ hint: undefined }));
    for (const change of [
      () => addMembers(db, 'strs', [], 0),
      () => removeMembers(db, 'strs', [], 0),
      () => deletePanel(db, 'strs'),
    ])
      expect(change).toThrow('there is no panel strs');
  });
});

/** What a crawl of an account received, and its end. */
interface Received {
  readonly kind?: string;
  readonly target: string;
  /** The endpoint, the status and the parameters of each response. */
  readonly responses: readonly (readonly [endpoint: string, status: number, parameters: object])[];
  readonly end?: CrawlEnd | undefined;
  readonly targetRestId?: string;
  readonly keepsBodies?: boolean;
  readonly page?: Partial<PageCommit>;
}

const NOT_FOUND: CrawlEnd = { state: 'failed', reason: 'not_found', error: '404 Not Found' };

/** Stores a crawl whose requests were sent at a time. Returns its id. */
async function receive(store: Store, at: number, received: Received): Promise<number> {
  const { kind = 'profile', target, responses, end, targetRestId = null, keepsBodies = true, page } = received;
  const { id, lease } = await openLeased(store, at, { kind, target });
  const requests = responses.map(([endpoint, status]) => ({ endpoint, at, status, ms: 1, bytes: 2 }));
  const bodies = responses.map(([endpoint, status, parameters]) => ({
    endpoint,
    status,
    parameters: JSON.stringify(parameters),
    fetchedAt: at,
    body: Buffer.from('{}'),
  }));
  const commit = {
    requests,
    bodies: keepsBodies ? bodies : [],
    endpoints: responses.map(([endpoint]) => endpoint),
    end,
  };
  const progress = progressOf({ pages: 0, targetRestId });
  await store.write.commitPage(pageOf(id, lease, at, { ...commit, progress, ...page }));
  return id;
}

/** Shows an account at a time. */
const show = (store: Store, at: number, restId: string, screenName: string) =>
  receive(store, at, {
    kind: 'search',
    target: `seen at ${at}`,
    responses: [],
    end: {
      state: 'capped',
      ending: 'one_page',
    },
    page: { rows: rows({ users: [user(restId, { screenName })] }) },
  });

const unavailable = (store: Store) =>
  readerOf(store).prepare('select * from v_unavailable_accounts order by rest_id').all();

describe('an account is unavailable', () => {
  const byId = { restId: '1' };
  const GONE = [
    ['user-profile', 404, { screenName: 'ada' }],
    ['followers', 404, byId],
  ] as const;

  test.each<[what: string, received: Received]>([
    ['after a 404 for its id', { target: 'id:1', responses: GONE, end: NOT_FOUND }],
    [
      'after a 404 of followed accounts',
      { kind: 'following', target: 'id:1', responses: [['following', 404, byId]], end: NOT_FOUND },
    ],
    [
      'after a 404 of its timeline and its id',
      { kind: 'timeline', target: 'id:1', responses: [['user-tweets', 404, byId], ...GONE], end: NOT_FOUND },
    ],
    ['after a 404 for its handle and its id', { target: 'ada', responses: GONE, end: NOT_FOUND }],
    [
      'after a re-check that was answered with 404 for its id',
      {
        target: 'id:1',
        keepsBodies: false,
        responses: GONE,
        end: {
          state: 'complete',
          reason: 'unavailable',
          ending: 'served',
        },
      },
    ],
    [
      'after a 404 in a list of a handle whose account is known',
      { kind: 'followers', target: 'ada', targetRestId: '1', keepsBodies: false, responses: GONE, end: NOT_FOUND },
    ],
  ])('%s', async (_, received) => {
    const store = newStore();
    await show(store, 1000, '1', 'Ada');
    const crawl = await receive(store, 2000, received);
    expect(unavailable(store)).toEqual([
      {
        rest_id: '1',
        screen_name: 'Ada',
        state: 'unavailable',
        crawl_id: crawl,
        last_seen_at: '1970-01-01T00:00:01.000Z',
        noticed_at: '1970-01-01T00:00:02.000Z',
      },
    ]);
  });

  test.each<[what: string, received: Received]>([
    [
      'a 404 for the handle alone',
      { target: 'ada', responses: [['user-profile', 404, { screenName: 'ada' }]], end: NOT_FOUND },
    ],
    [
      'a 404 for its id of a crawl of a handle, without the response',
      { target: 'ada', responses: GONE, keepsBodies: false, end: NOT_FOUND },
    ],
    ['a 404 for another id', { target: 'id:2', responses: [['followers', 404, { restId: '2' }]], end: NOT_FOUND }],
    [
      'a 404 of an account without tweets',
      {
        kind: 'timeline',
        target: 'id:1',
        responses: [['user-tweets', 404, byId]],
        end: { state: 'complete', reason: 'no_tweets', ending: 'served' },
      },
    ],
    [
      'a 404 that did not end the crawl, such as one for the quota',
      { kind: 'followers', target: 'id:1', responses: GONE },
    ],
    [
      'a 404 for a cursor',
      {
        kind: 'followers',
        target: 'id:1',
        responses: [['followers', 404, byId]],
        end: { state: 'partial', reason: 'cursor_refused' },
      },
    ],
    [
      'an error of the service',
      {
        target: 'id:1',
        responses: [['followers', 500, byId]],
        end: { state: 'failed', reason: 'unreachable', error: '500' },
      },
    ],
  ])('not after %s', async (_, received) => {
    const store = newStore();
    await show(store, 1000, '1', 'Ada');
    await receive(store, 2000, received);
    expect(unavailable(store)).toEqual([]);
  });

  test('until it is seen again, and not for a 404 before that', async () => {
    const store = newStore();
    const gone: Received = { target: 'id:1', responses: GONE, end: NOT_FOUND };
    await receive(store, 500, gone);
    expect(unavailable(store)).toEqual([]);
    await show(store, 1000, '1', 'Ada');
    expect(unavailable(store)).toEqual([]);
    const first = await receive(store, 2000, gone);
    await receive(store, 3000, gone);
    // It became unavailable between the last time that it was seen and the first 404 after that.
    expect(unavailable(store)).toMatchObject([{ crawl_id: first, noticed_at: '1970-01-01T00:00:02.000Z' }]);
    await show(store, 4000, '1', 'Ada');
    expect(unavailable(store)).toEqual([]);
    expect(readerOf(store).prepare('select * from v_restored').all()).toEqual([
      {
        type: 'account',
        rest_id: '1',
        account_rest_id: '1',
        account: 'Ada',
        gone_at: '1970-01-01T00:00:03.000Z',
        last_seen_at: '1970-01-01T00:00:04.000Z',
      },
    ]);
    const second = await receive(store, 5000, gone);
    expect(readerOf(store).prepare('select * from v_restored').all()).toEqual([]);
    expect(unavailable(store)).toMatchObject([{ crawl_id: second, noticed_at: '1970-01-01T00:00:05.000Z' }]);
  });
});

test('the state of a member is that of its account', async () => {
  const store = newStore();
  for (const [restId, screenName] of [
    ['1', 'ada'],
    ['2', 'BOB'],
    ['3', 'cy_now'],
    ['4', 'dee'],
  ] as const)
    await show(store, 1000, restId, screenName);
  await receive(store, 2000, { target: 'id:4', responses: [['followers', 404, { restId: '4' }]], end: NOT_FOUND });
  using db = openDatabase(store.path);
  const handles = { 1: 'ada', 2: 'Bob', 3: 'cy', 4: 'dee_then', 5: 'eve' };
  const members = Object.entries(handles).map(([restId, handle]) => member(restId, handle));
  addMembers(db, 'stars', members, 3000, { create: true });
  expect(readPanelMembers(db, 'stars').map(({ restId, screenName, state }) => [restId, screenName, state])).toEqual([
    ['1', 'ada', null],
    ['2', 'BOB', null],
    ['3', 'cy_now', 'renamed'],
    ['4', 'dee', 'unavailable'],
    ['5', null, 'unseen'],
  ]);
  expect(readPanels(db)).toMatchObject([{ members: 5, renamed: 1, unavailable: 1, unseen: 1 }]);
});
