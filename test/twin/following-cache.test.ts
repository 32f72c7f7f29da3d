import { describe, expect, test } from 'vitest';
import { MINUTE } from '#base/clock.ts';
import { createKey } from '#twin/serve/quota/twin-keys.ts';
import { runCli, startCli } from '../support/cli.ts';
import { addFollow, addUser, answerOf, NOW, temporaryFile, temporaryStore, testClock, testTwin } from './support.ts';

/** Ada follows two, one a page. */
async function seeded(file = temporaryFile()) {
  const db = temporaryStore(file);
  const [ada, bob, eve, joe] = ['1', '2', '3', '4'].map((restId) => addUser(db, { restId }));
  addFollow(db, ada!, bob!);
  addFollow(db, ada!, eve!);
  const clock = testClock();
  const key = { limit: 100, windowMs: 24 * 60 * MINUTE };
  const twin = await testTwin({ db, clock, followingCacheMs: 15 * MINUTE, pageSize: 1, key });
  const following = async (parameters: Record<string, string> = {}) => {
    const answer = await twin.get('following', { restId: '1', ...parameters });
    return { status: answer.status, text: JSON.stringify(answer.body) };
  };
  const remaining = async () => ((await twin.data('token-info')) as { remaining: number }).remaining;
  return { db, ada: ada!, bob: bob!, joe: joe!, clock, twin, following, remaining };
}

// Spec, endpoint rules, 5: the same restId requested repeatedly within the cache validity period returns the cached
// result without a new upstream call.
describe('--following-cache', () => {
  test('returns the same response within the period without quota, even if the store changed', async () => {
    const { db, joe, ada, clock, following, remaining } = await seeded();
    const first = await following();
    expect(await remaining()).toBe(99);
    db.$client.exec('delete from follows');
    addFollow(db, ada, joe);
    clock.advance(15 * MINUTE - 1);
    expect(await following()).toEqual(first);
    expect(await remaining()).toBe(99);
    clock.advance(1);
    const second = await following();
    expect(second).not.toEqual(first);
    expect(second.text).toContain('user4');
    expect(await remaining()).toBe(98);
  });

  test('is counted from the first call, by GET and POST, and shared by all keys', async () => {
    const { db, clock, twin, following } = await seeded();
    const first = await following();
    db.$client.exec('delete from follows');
    const { key } = createKey(db, { name: 'other', limit: 5, windowMs: MINUTE, now: NOW });
    clock.advance(10 * MINUTE);
    const posted = await twin.post('following', { restId: '1' });
    expect(JSON.stringify(posted.body)).toBe(first.text);
    const path = '/api/microblog/following?restId=1';
    expect(JSON.stringify((await twin.request(path, { headers: { 'X-API-Key': key } })).body)).toBe(first.text);
    // Being given again does not make it last longer.
    clock.advance(5 * MINUTE);
    expect((await following()).text).not.toBe(first.text);
  });

  test('caches each page of each list, and no error', async () => {
    const { db, clock, twin, following, remaining } = await seeded();
    const cursor = /"cursor":\{"value":"([^"]+)"/.exec((await following()).text)![1]!;
    const second = await following({ cursor });
    expect(second.text).toContain('user3');
    expect(await following({ cursor })).toEqual(second);
    expect(await remaining()).toBe(98);
    expect((await following({ restId: '9' })).status).toBe(404);
    addUser(db, { restId: '9' });
    expect((await following({ restId: '9' })).status).toBe(200);
    expect((await following({ cursor: 'x' })).status).toBe(400);
    expect((await twin.request('/api/microblog/following', {})).status).toBe(400);
    clock.advance(MINUTE);
    // Another endpoint has no such cache.
    await twin.get('followers', { restId: '1' });
    await twin.get('followers', { restId: '1' });
    expect(await remaining()).toBe(94);
  });

  test('is an option of trawl twin serve', { timeout: 60_000 }, async () => {
    const file = temporaryFile();
    const { db, twin } = await seeded(file);
    const served = startCli(['twin', 'serve', '--db', file, '--listen', '127.0.0.1:0', '--following-cache', '15m']);
    const [, url] = /on (http\S+)/.exec(await served.waitForLine(/^serving .* on http/))!;
    const ask = async () => {
      const headers = { 'X-API-Key': twin.key };
      return JSON.stringify((await answerOf(await fetch(`${url}/api/microblog/following?restId=1`, { headers }))).body);
    };
    const first = await ask();
    db.$client.exec('delete from follows');
    expect(await ask()).toBe(first);
    expect((await runCli(['twin', 'serve', '--db', file, '--following-cache', 'soon'])).code).toBe(2);
  });
});
