import { Writable } from 'node:stream';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import pino from 'pino';
import { expect, test } from 'vitest';
import { buildTwin } from '#twin/serve/http/start-twin.ts';
import { createKey } from '#twin/serve/quota/twin-keys.ts';
import { addUser, NOW, temporaryStore, testClock, testTwin } from './support.ts';

function collectedLog() {
  const lines: string[] = [];
  const log = pino({ base: null }, new Writable({ write: (chunk, _, done) => (lines.push(String(chunk)), done()) }));
  return { lines, log };
}

test('each request is one line of JSON with its endpoint, status, time and key name, and never the key or the query', async () => {
  const { lines, log } = collectedLog();
  const db = temporaryStore();
  addUser(db, { restId: '1', screenName: 'ada' });
  const twin = await testTwin({ db, log, key: { name: 'canary' } });
  await twin.get('followers', { restId: '1' });
  await twin.post('search', { rawQuery: 'secret words' });
  await twin.get('user-profile', { screenName: 'secretname' });
  await twin.request('/api/microblog/search?rawQuery=secret', { headers: { 'X-API-Key': 'wrong-secret' } });
  await twin.request('/secret');
  await twin.app.close();

  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { endpoint: 'followers', method: 'GET', status: 200, ms: expect.any(Number), key: 'canary' },
    { endpoint: 'search', method: 'POST', status: 200, key: 'canary' },
    { endpoint: 'user-profile', status: 404, key: 'canary' },
    { endpoint: 'search', status: 401 },
    { endpoint: 'none', status: 404 },
  ]);
  expect(lines[0]).toContain('"status":200');
  expect(lines.join('')).not.toContain('secret');
  expect(lines.join('')).not.toContain(twin.key);
});

test('an unexpected error is logged with its cause', async () => {
  const { lines, log } = collectedLog();
  const db = temporaryStore();
  addUser(db, { restId: '1' });
  const twin = await testTwin({ db, log });
  db.$client.exec('drop table follows');
  await twin.get('followers', { restId: '1' });
  expect(lines[0]).toContain('no such table: follows');
});

test('values of a failed statement are not logged, however its error was wrapped', async () => {
  const { lines, log } = collectedLog();
  const db = temporaryStore();
  const { key } = createKey(db, { name: 'canary', now: NOW });
  const app = buildTwin({ db, log });
  const cause = new Error('database disk image is malformed');
  app.get('/fails', () => {
    throw new Error('a page of secret', { cause: new DrizzleQueryError('select ?', ['secret'], cause) });
  });
  await app.inject({ url: '/fails', headers: { 'X-API-Key': key } });
  await app.close();
  expect(lines[0]).toContain(cause.message);
  expect(lines.join('')).not.toContain('secret');
});

test('a latency delays each response, also errors', async () => {
  const db = temporaryStore();
  const delays: number[] = [];
  const clock = { ...testClock(), sleep: async (ms: number) => void delays.push(ms) };
  const twin = await testTwin({ db, clock, latencyMs: 40 });
  await twin.get('token-info');
  await twin.get('followers');
  expect(delays.filter((ms) => ms === 40)).toHaveLength(2);
});
