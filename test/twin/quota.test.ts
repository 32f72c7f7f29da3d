import { describe, expect, test } from 'vitest';
import { addUser, temporaryStore, testClock, testTwin } from './support.ts';

describe('the quota of a key', () => {
  async function twinWithQuota(limit: number, windowMs = 20_000) {
    const db = temporaryStore();
    addUser(db, { restId: '1', screenName: 'ada' });
    const clock = testClock();
    return { clock, twin: await testTwin({ db, clock, key: { name: 'canary', limit, windowMs } }) };
  }

  test('is refused with 429 and Retry-After in whole seconds, rounded up', async () => {
    const { clock, twin } = await twinWithQuota(2);
    await twin.get('followers', { restId: '1' });
    clock.advance(500);
    await twin.get('followers', { restId: '1' });
    clock.advance(100);
    const refused = await twin.get('followers', { restId: '1' });
    expect(refused).toMatchObject({
      status: 429,
      body: { title: 'Too Many Requests', detail: 'The quota of 2 requests per 20 s is used up.' },
    });
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
    expect(refused.headers.get('retry-after')).toBe('20');

    clock.advance(19_399);
    expect((await twin.get('followers', { restId: '1' })).headers.get('retry-after')).toBe('1');
    clock.advance(1);
    expect((await twin.get('followers', { restId: '1' })).status).toBe(200);
    expect((await twin.get('followers', { restId: '1' })).status).toBe(429);
  });

  test('is spent by requests with valid key and parameters, also by a 404, and by nothing else', async () => {
    const { twin } = await twinWithQuota(10);
    const remaining = async () => (await twin.data('token-info')).remaining;
    expect(await remaining()).toBe(10);
    await twin.get('followers');
    await twin.get('followers', { restId: '1', cursor: 'garbage' });
    await twin.request('/api/microblog/followers?restId=1', { headers: { 'X-API-Key': 'wrong' } });
    await twin.request('/api/microblog/followers?restId=1', { method: 'PUT' });
    await twin.request('/nope');
    await twin.request('/api/microblog/followers', {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain' },
      body: '{}',
    });
    expect(await remaining()).toBe(10);
    expect((await twin.get('user-profile', { screenName: 'nobody' })).status).toBe(404);
    expect(await remaining()).toBe(9);
    await twin.post('followers', { restId: '1' });
    expect(await remaining()).toBe(8);
  });

  test('is in token-info: limit, remaining, reset, key and latest requests', async () => {
    const { clock, twin } = await twinWithQuota(30);
    expect(await twin.data('token-info')).toEqual({
      token_type: 'app',
      app_limit: 30,
      remaining: 30,
      reset_at: '2024-06-01T12:00:00.000Z',
      account: { app_id: twin.key.slice(0, 12), app_name: 'canary', organization: 'trawl' },
      request_history: [],
    });
    await twin.get('user-profile', { screenName: 'ada' });
    clock.advance(5000);
    await twin.get('user-profile', { screenName: 'nobody' });
    clock.advance(1000);
    expect(await twin.data('token-info')).toMatchObject({
      remaining: 28,
      reset_at: '2024-06-01T12:00:20.000Z',
      request_history: [
        { endpoint: 'user-profile', timestamp: '2024-06-01T12:00:05.000Z', status: '404' },
        { endpoint: 'user-profile', timestamp: '2024-06-01T12:00:00.000Z', status: '200' },
      ],
    });
    for (let i = 0; i < 25; i += 1) await twin.get('followers', { restId: '1' });
    expect((await twin.data('token-info')).request_history).toHaveLength(20);
  });
});
