import { describe, expect, test } from 'vitest';
import { createByteCache, createStateCache } from '../../src/twin/serve/byte-cache.ts';
import { addFollow, addTweet, addUser, temporaryFile, temporaryStore, testTwin } from './support.ts';

describe('cached responses', () => {
  test('are cleared as soon as another process commits', async () => {
    const file = temporaryFile();
    const db = temporaryStore(file);
    const userId = addUser(db, { restId: '1', screenName: 'ada' });
    const twin = await testTwin({ db });
    const elsewhere = temporaryStore(file);
    const ids = async () => JSON.stringify((await twin.get('followers', { restId: '1' })).body);
    const before = await ids();
    expect(await ids()).toBe(before);
    addFollow(elsewhere, addUser(elsewhere, { restId: '2' }), userId);
    expect(await ids()).toContain('"user-2"');
    addTweet(elsewhere, { restId: '9', authorId: userId });
    expect((await twin.get('user-tweets', { restId: '1' })).status).toBe(200);
  });

  test('cost quota like others', async () => {
    const db = temporaryStore();
    addUser(db, { restId: '1', screenName: 'ada' });
    const twin = await testTwin({ db, key: { limit: 2 } });
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) statuses.push((await twin.get('user-profile', { screenName: 'ada' })).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  test('are those requested last, up to the size limit', () => {
    const answers = createByteCache<string>(3000);
    const body = Buffer.alloc(1000);
    answers.store('a', body);
    answers.store('b', body);
    expect(answers.find('a')).toBe(body);
    answers.store('c', body);
    expect([answers.find('a'), answers.find('b'), answers.find('c')]).toEqual([body, undefined, body]);
  });

  test('do not include one above the size limit', () => {
    const answers = createByteCache<string>(100);
    answers.store('a', Buffer.alloc(1000));
    expect(answers.find('a')).toBeUndefined();
  });

  test('are found in the state of the store in which they were stored only', () => {
    const cache = createStateCache<number>(1000);
    cache.beginRead('state');
    cache.store(1, Buffer.from('one'));
    cache.beginRead('state');
    expect(cache.find(1)?.toString()).toBe('one');
    for (const state of ['changed', 'state']) {
      cache.beginRead(state);
      expect(cache.find(1)).toBeUndefined();
    }
  });
});
