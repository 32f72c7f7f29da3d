import { SaxesParser } from 'saxes';
import { expect, test } from 'vitest';
import type { NetworkData } from '#dashboard/server/api/network.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { addRows, requestRow } from '../store-rows.ts';
import { readJson, startTestDashboard } from '../support.ts';
import { fetchWithToken } from '../token.ts';
import { EGO, restIdOf } from './network-rows.ts';
import { createNetworkStore } from './network-store.ts';

const get = <T = NetworkData>(url: string) => readJson<T>(url);

/** The follows of a network as `follower followed`, by the service's ids. */
const toPairs = ({ nodes, follows }: NetworkData): string[] =>
  follows.flatMap((list, i) => list.map((j) => `${nodes[i]!.restId} ${nodes[j]!.restId}`)).toSorted();

/** The follows in force among accounts of a store, by another statement than the page's. */
function readPairs(path: string, restIds: readonly string[]): string[] {
  const db = openConnection(path);
  const pairs = db
    .prepare<[string, string], string>(
      `select a.rest_id || ' ' || b.rest_id from follows f join users a on a.id = f.follower_id join users b on b.id = f.followee_id
       where f.ended_at is null and a.rest_id in (select value from json_each(?)) and b.rest_id in (select value from json_each(?))`,
    )
    .pluck()
    .all(JSON.stringify(restIds), JSON.stringify(restIds));
  db.close();
  return pairs.toSorted();
}

const SMALL = { communities: [8, 7, 5], follows: [4, 1] } as const;

test('a network around an account has it, its neighbours and all follows among them', async () => {
  const path = createNetworkStore(SMALL);
  // One follow has ended, and one account is no neighbour.
  addRows(path, {
    users: [{ id: 90, rest_id: '90', screen_name: 'stranger', first_seen_at: 1, changed_at: 1 }],
    follows: [
      {
        follower_id: 90,
        followee_id: 1,
        first_seen_at: 1,
        last_seen_at: 1,
        first_missed_at: 2,
        ended_at: 2,
      },
      { follower_id: 90, followee_id: 3, first_seen_at: 1, last_seen_at: 1 },
    ],
  });
  const { url } = await startTestDashboard(path);
  const { body } = await get(`${url}/api/network?accounts=${EGO.handle}`);
  expect(body).toMatchObject({ total: 21, unknown: [], absence: null });
  expect(body.nodes.map(({ restId }) => restId).toSorted()).toEqual(
    Array.from({ length: 21 }, (_, i) => restIdOf(i + 1)).toSorted(),
  );
  const followers = body.nodes.map((node) => node.followers!);
  expect(followers).toEqual(followers.toSorted((a, b) => b - a));
  expect(body.nodes.filter(({ isGiven }) => isGiven).map(({ label }) => label)).toEqual([`@${EGO.handle}`]);
  const restIds = body.nodes.map(({ restId }) => restId);
  expect(toPairs(body)).toEqual(readPairs(path, restIds));
  expect(toPairs(body).length).toBeGreaterThan(80);
  expect((await get(`${url}/api/network?accounts=@${EGO.handle.toUpperCase()}`)).body).toEqual({
    ...body,
    at: expect.anything(),
  });
});

test('accounts are shown without their neighbours', async () => {
  const path = createNetworkStore(SMALL);
  const { url } = await startTestDashboard(path);
  const given = [2, 3, 4].map(restIdOf);
  const among = (await get(`${url}/api/network?accounts=${given.map((id) => `id:${id}`).join()}&depth=0`)).body;
  expect(among.nodes.map(({ restId }) => restId).toSorted()).toEqual(given);
  expect(toPairs(among)).toEqual(readPairs(path, given));
});

test('of a large network, the most followed accounts are shown, and the number of all is stated', async () => {
  const path = createNetworkStore({ communities: [1000, 900], follows: [2, 0], collected: 0.02 });
  const { url } = await startTestDashboard(path);
  const { body } = await get(`${url}/api/network?accounts=id:${EGO.restId}`);
  expect([body.total, body.nodes.length]).toEqual([1901, 1501]);
  const db = openConnection(path);
  const most = db
    .prepare<[], string>('select rest_id from users order by followers_count desc limit 1501')
    .pluck()
    .all();
  db.close();
  expect(new Set(body.nodes.map(({ restId }) => restId))).toEqual(new Set(most));
});

test('a panel is a network, without accounts that the service no longer shows', async () => {
  const path = createNetworkStore(SMALL);
  const times = { created_at: 5, updated_at: 5, finished_at: 9_999_999_999_999 };
  const gone = { id: 500, kind: 'following', target: `id:${restIdOf(4)}`, target_rest_id: restIdOf(4), options: '{}' };
  addRows(path, {
    panels: [
      { id: 1, name: 'press', created_at: 1 },
      { id: 2, name: 'empty', created_at: 1 },
    ],
    panel_members: [2, 3, 4, 77].map((id) => ({ panel_id: 1, rest_id: restIdOf(id), handle: `m${id}`, added_at: 1 })),
    crawls: [{ ...gone, ...times, priority: 'interactive', state: 'failed', reason: 'not_found' }],
    requests: [requestRow({ id: 500, crawl_id: 500, endpoint: 'following', status: 404 })],
  });
  const { url } = await startTestDashboard(path);
  const { body } = await get(`${url}/api/network?panel=press&depth=0`);
  expect(body.nodes.map(({ restId }) => restId).toSorted()).toEqual([2, 3].map(restIdOf));
  expect(body).toMatchObject({ total: 2, unknown: ['@m77'] });
  const around = (await get(`${url}/api/network?panel=press`)).body;
  expect(around.nodes.length).toBeGreaterThan(5);
  expect(around.nodes.some(({ restId }) => restId === restIdOf(4))).toBe(false);
  expect((await get(`${url}/api/network?panel=empty`)).body.absence).toMatchObject({ title: 'Not available' });
  expect((await get<unknown>(`${url}/api/network/panels`)).body).toEqual([
    { name: 'empty', members: 0 },
    { name: 'press', members: 4 },
  ]);
  expect(await get(`${url}/api/network?panel=nobody`)).toMatchObject({ status: 400 });
});

test('an absent network has its cause and a command', async () => {
  const path = createNetworkStore({ communities: [6], collected: 0 });
  const { url } = await startTestDashboard(path);
  const absenceOf = async (query: string) => (await get(`${url}/api/network?${query}`)).body.absence;
  expect(await absenceOf('accounts=nobody')).toMatchObject({
    title: 'Not available',
    command: 'crawl following nobody',
  });
  // A command of a foreign address is not shown.
  expect(await absenceOf('accounts=%24(reboot)')).toMatchObject({ title: 'Not available', command: null });
  // Its neighbour is known from the list of another account.
  expect(await absenceOf(`accounts=id:${restIdOf(2)}&depth=0`)).toMatchObject({
    title: 'Not collected',
    command: `crawl following id:${restIdOf(2)}`,
  });
  expect(await absenceOf(`accounts=id:${EGO.restId}`)).toBe(null);
  expect(await get(`${url}/api/network`)).toMatchObject({ status: 400 });
  expect(await get(`${url}/api/network?accounts=${Array(101).fill('a').join()}`)).toMatchObject({ status: 400 });
});

test('each node says which of its lists were collected, and hostile names are one line', async () => {
  const names = { 3: { handle: '\u202Eevil', name: '<img src=x onerror=alert(1)>\u202Egnp.exe' } };
  const path = createNetworkStore({ communities: [10, 10], collected: 0.5, names });
  const { url } = await startTestDashboard(path);
  const { body } = await get(`${url}/api/network?accounts=id:${EGO.restId}`);
  const db = openConnection(path);
  const complete = db
    .prepare<[], string>('select rest_id from _list_snapshots join users on users.id = user_id')
    .pluck()
    .all();
  db.close();
  expect(complete.length).toBeGreaterThan(5);
  const states = body.nodes.map(({ restId, lists }) => [restId, ...lists]);
  expect(states).toEqual(
    body.nodes.map(({ restId }) => (complete.includes(restId) ? [restId, 'following'] : [restId])),
  );
  expect(body.command).toBe(`crawl following id:${EGO.restId} --then following`);
  const hostile = body.nodes.find(({ restId }) => restId === restIdOf(3))!;
  expect(hostile.name).toContain('<img');
  expect(hostile.name! + hostile.label).not.toContain('\u202E');
});

test('the download has the nodes and the follows of the page', async () => {
  const path = createNetworkStore({ ...SMALL, names: { 2: { name: 'A & B <"c">' } } });
  const { url } = await startTestDashboard(path);
  for (const query of [`accounts=id:${EGO.restId}`, `accounts=id:${restIdOf(2)},id:${restIdOf(3)}&depth=0`]) {
    const { body } = await get(`${url}/api/network?${query}`);
    const gexf = await fetchWithToken(`${url}/api/network/network.gexf?${query}`);
    expect(gexf.headers.get('content-type')).toBe('application/gexf+xml');
    expect(gexf.headers.get('content-disposition')).toBe('attachment; filename="network.gexf"');
    const [nodes, edges, versions]: [string[], string[], string[]] = [[], [], []];
    const parser = new SaxesParser({ xmlns: false });
    parser.on('opentag', ({ name, attributes }) => {
      if (name === 'gexf') versions.push(String(attributes['version']), String(attributes['xmlns']));
      if (name === 'node') nodes.push(String(attributes['id']));
      if (name === 'edge') edges.push(`${String(attributes['source'])} ${String(attributes['target'])}`);
    });
    parser.write(await gexf.text()).close();
    expect(versions).toEqual(['1.2', 'http://www.gexf.net/1.2draft']);
    expect(nodes.toSorted()).toEqual(body.nodes.map(({ restId }) => restId).toSorted());
    expect(edges.toSorted()).toEqual(toPairs(body));
  }
});
