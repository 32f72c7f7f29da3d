import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { endpointTable } from '../../src/service/contract/endpoints.ts';
import { addUser, temporaryStore, testTwin, type TestTwin } from './support.ts';

/** What the socket carries for one request: status line, headers and whatever follows. */
async function exchange({ url, key }: TestTwin, method: string, path: string, withKey = true) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const keyLine = withKey ? `X-API-Key: ${key}\r\n` : '';
  socket.end(`${method} ${path} HTTP/1.1\r\nHost: twin\r\n${keyLine}Connection: close\r\n\r\n`);
  const [head, ...body] = (await text(socket)).split('\r\n\r\n');
  const [status, ...lines] = head!.split('\r\n');
  return { status, headers: lines.filter((line) => !/^date:/i.test(line)), body: body.join('\r\n\r\n') };
}

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
    const get = await exchange(twin, 'GET', path);
    const head = await exchange(twin, 'HEAD', path);
    expect({ ...head, body: get.body }).toEqual(get);
    expect(head.body).toBe('');
    expect(get.body).not.toBe('');
    expect(head.headers.join('\n')).toMatch(/^content-length: [1-9]/im);
  });

  test('needs a key, and costs what GET costs', async () => {
    const twin = await smallTwin();
    const remaining = async () => (await twin.data('token-info')) as { remaining: number };
    const path = `${endpointTable['user-profile'].path}?screenName=ada`;
    expect((await exchange(twin, 'HEAD', path, false)).status).toMatch(/ 401 /);
    expect(await remaining()).toMatchObject({ remaining: 100 });
    expect((await exchange(twin, 'HEAD', path)).status).toMatch(/ 200 /);
    expect(await remaining()).toMatchObject({ remaining: 99 });
    await exchange(twin, 'HEAD', endpointTable['token-info'].path);
    expect(await remaining()).toMatchObject({ remaining: 99 });
  });
});
