import { describe, expect, test } from 'vitest';
import { createByteCache, createStateCache } from '#twin/serve/byte-cache.ts';

describe('cached responses', () => {
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
