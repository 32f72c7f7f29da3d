import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { endpointTable } from '#service/contract/endpoints.ts';
import { openReadOnly } from '#store/sqlite/database.ts';
import { startTwin, buildTwin } from '#twin/serve/http/start-twin.ts';
import { createKey } from '#twin/serve/quota/twin-keys.ts';
import { addFollow, addUser, NOW, temporaryFile, temporaryStore } from './support.ts';

/** Responses of a twin while another connection commits. */

const PEOPLE = 12;
const PAGE_SIZE = 4;
const person = fc.integer({ min: 1, max: PEOPLE });

/** Changes of the store. Few handles are used, so that several users hold the same one. */
const CHANGES = {
  describe: 'update users set description = :text where id = :id',
  rename: "update users set screen_name = 'user' || :other where id = :id",
  see: 'update _user_last_seen set last_seen_at = :now where user_id = :id',
  follow: `insert into follows (follower_id, followee_id, first_seen_at, last_seen_at) values (:id, :other, :now, :now)
    on conflict do update set ended_at = null`,
  unfollow: 'update follows set ended_at = :now where follower_id = :id and followee_id = :other',
  remove: 'delete from users where id = :id',
};
const change = fc.record({
  kind: fc.constantFrom(...(Object.keys(CHANGES) as (keyof typeof CHANGES)[])),
  id: person,
  other: person,
  text: fc.string({ unit: 'grapheme', maxLength: 40 }),
});
const request = fc.record({
  endpoint: fc.constantFrom('followers' as const, 'following' as const, 'user-profile' as const),
  id: person,
});
const turn = fc.record({ changes: fc.array(change, { maxLength: 2 }), request });

async function answerOfNewTwin(file: string, url: string, headers: Record<string, string>) {
  const db = openReadOnly(file);
  const app = buildTwin({ db, pageSize: PAGE_SIZE });
  try {
    const { statusCode, body } = await app.inject({ url, headers });
    return [statusCode, body];
  } finally {
    await app.close();
    db.$client.close();
  }
}

test.each([
  { userCacheBytes: 64 * 1024, cacheBytes: 0 },
  { userCacheBytes: 1500, cacheBytes: 64 * 1024 },
])('a response equals that of a new twin ($userCacheBytes bytes of users)', async (sizes) => {
  const property = fc.asyncProperty(fc.array(turn, { minLength: 5, maxLength: 20 }), async (turns) => {
    const file = temporaryFile();
    const writer = temporaryStore(file);
    for (let id = 1; id <= PEOPLE; id++) addUser(writer, { restId: String(id), followersCount: id });
    for (let id = 2; id <= PEOPLE; id++) addFollow(writer, id, 1);
    const { key } = createKey(writer, { name: 'test', limit: 1_000_000, now: NOW });
    const headers = { 'x-api-key': key };
    await using twin = await startTwin({ file, pageSize: PAGE_SIZE, ...sizes });

    for (const [index, { changes, request }] of turns.entries()) {
      for (const { kind, ...values } of changes)
        writer.$client.prepare(CHANGES[kind]).run({ ...values, now: NOW + index });
      const first = `${endpointTable[request.endpoint].path}?restId=${request.id}&screenName=USER${request.id}`;
      let path: string | undefined = first;
      while (path !== undefined) {
        const response = await fetch(twin.url + path, { headers });
        const body = await response.text();
        expect([response.status, body]).toEqual(await answerOfNewTwin(file, path, headers));
        const cursor = /"cursor":\{"value":"([^"]+)"/.exec(body)?.[1];
        path = cursor && `${first}&cursor=${cursor}`;
      }
    }
  });
  await fc.assert(property, { numRuns: 6 });
});

test('a list leaves out users without a row', async () => {
  const file = temporaryFile();
  const db = temporaryStore(file);
  const followee = addUser(db, { restId: '1' });
  for (const restId of ['2', '3', '4']) addFollow(db, addUser(db, { restId }), followee);
  const { key } = createKey(db, { name: 'test', now: NOW });
  const twin = await startTwin({ file });
  onTestFinished(() => twin.close());
  const listedIds = async (): Promise<(string | undefined)[]> => {
    const response = await fetch(`${twin.url}/api/microblog/followers?restId=1`, { headers: { 'x-api-key': key } });
    return [...(await response.text()).matchAll(/"user-(\d+)"/g)].map(([, id]) => id);
  };
  expect(await listedIds()).toEqual(['2', '3', '4']);
  db.$client.prepare("delete from users where rest_id = '2'").run();
  expect(await listedIds()).toEqual(['3', '4']);
  db.$client.prepare('delete from users where id > 1').run();
  expect(await listedIds()).toEqual([]);
});
