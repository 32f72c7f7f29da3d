import { describe, expect, test } from 'vitest';
import { endpointTable } from '#service/contract/endpoints.ts';
import { addUser, temporaryStore, testTwin } from './support.ts';

/** Headers that differ by time or by client. */
const VARYING = ['date', 'connection', 'keep-alive'];

function smallTwin() {
  const db = temporaryStore();
  addUser(db, { restId: '1', screenName: 'ada' });
  return testTwin({ db, key: { limit: 100 } });
}

describe('HEAD (RFC 9110, 9.3.2)', () => {
  test.each([
    ...Object.values(endpointTable)
      .filter(({ name }) => name !== 'token-info')
      .map(({ path, parameters }) => `${path}?${parameters[0]!.name}=1`),
    `${endpointTable['user-profile'].path}?screenName=ada`,
    endpointTable.search.path,
    '/healthz',
    '/nowhere',
  ])('has the status and the headers of GET and no content: %s', async (path) => {
    const twin = await smallTwin();
    const exchange = async (method: string) => {
      const { status, headers } = await twin.request(path, { method });
      return { status, headers: Object.fromEntries([...headers].filter(([name]) => !VARYING.includes(name))) };
    };
    const head = await exchange('HEAD');
    expect(head).toEqual(await exchange('GET'));
    expect(Number(head.headers['content-length'])).toBeGreaterThan(0);
  });

  test('needs a key, and costs what GET costs', async () => {
    const twin = await smallTwin();
    const remaining = async () => (await twin.data('token-info')).remaining;
    const head = async (path: string, headers = {}) => (await twin.request(path, { method: 'HEAD', headers })).status;
    const path = `${endpointTable['user-profile'].path}?screenName=ada`;
    expect(await head(path, { 'X-API-Key': 'wrong' })).toBe(401);
    expect(await remaining()).toBe(100);
    expect(await head(path)).toBe(200);
    expect(await remaining()).toBe(99);
    expect(await head(endpointTable['token-info'].path)).toBe(200);
    expect(await remaining()).toBe(99);
  });
});
