import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { addFollow, addUser, temporaryStore, testTwin } from './support.ts';

describe('a health check', () => {
  test('needs no key, and says whether the store can be read', async () => {
    const db = temporaryStore();
    const twin = await testTwin({ db });
    const answer = await fetch(`${twin.url}/healthz`);
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }]);
    db.$client.exec('alter table users rename to gone');
    expect((await fetch(`${twin.url}/healthz`)).status).toBe(503);
  });

  test('is read-only: other methods are errors', async () => {
    const twin = await testTwin({ db: temporaryStore() });
    expect((await fetch(`${twin.url}/healthz`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${twin.url}/api/microblog/token-info`)).status).toBe(401);
  });
});

describe('a client that is too slow', () => {
  async function slowTwin(times: { requestMs?: number; idleMs?: number }) {
    const db = temporaryStore();
    const ada = addUser(db, { restId: '1', screenName: 'ada' });
    for (let i = 0; i < 100; i++)
      addFollow(db, addUser(db, { restId: `f${i}`, description: 'word '.repeat(200) }), ada);
    const twin = await testTwin({ db, ...times, pageSize: 100, key: { limit: 1_000_000 } });
    const open = async (): Promise<Socket> => {
      const socket = connect(Number(new URL(twin.url).port), '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    };
    return { twin, open };
  }

  async function heardUntilClosed(socket: Socket): Promise<string> {
    let heard = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (heard += chunk));
    await once(socket, 'close');
    return heard;
  }

  test('in sending its headers gets an error, and its connection is closed', async () => {
    const { open } = await slowTwin({ requestMs: 100 });
    const socket = await open();
    socket.write('GET /api/microblog/token-info HTTP/1.1\r\nhost: twin\r\nx-slow: ');
    expect(await heardUntilClosed(socket)).toContain('HTTP/1.1 408');
  });

  test('in sending its body gets an error, and its connection is closed', async () => {
    const { twin, open } = await slowTwin({ requestMs: 100 });
    const socket = await open();
    const head = [
      'POST /api/microblog/followers HTTP/1.1',
      'host: twin',
      `x-api-key: ${twin.key}`,
      'content-type: application/json',
      'content-length: 100',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n{"restId":`);
    expect(await heardUntilClosed(socket)).toContain('HTTP/1.1 408');
  });

  test('in reading its responses loses its connection, and others do not', async () => {
    const { twin, open } = await slowTwin({ idleMs: 200 });
    const connections = promisify((done: (error: Error | null, count: number) => void) =>
      twin.app.server.getConnections(done),
    );
    const socket = await open();
    socket.pause();
    // More than the buffers of both ends hold.
    const request = `GET /api/microblog/followers?restId=1 HTTP/1.1\r\nhost: twin\r\nx-api-key: ${twin.key}\r\n\r\n`;
    socket.write(request.repeat(200));
    expect(await connections()).toBe(1);
    await vi.waitFor(async () => expect(await connections()).toBe(0), { timeout: 20_000, interval: 50 });
    expect((await twin.get('user-profile', { screenName: 'ada' })).status).toBe(200);
  });
});

test('requests in progress are answered when a twin is closed', async () => {
  const db = temporaryStore();
  addUser(db, { restId: '1', screenName: 'ada' });
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let arrived = (): void => undefined;
  const requested = new Promise<void>((resolve) => (arrived = resolve));
  const clock = { now: () => Date.now(), sleep: () => (arrived(), released) };
  const twin = await testTwin({ db, clock, latencyMs: 1 });
  const answer = twin.get('user-profile', { screenName: 'ada' });
  await requested;
  const closed = twin.app.close();
  release();
  expect((await answer).status).toBe(200);
  await closed;
});
