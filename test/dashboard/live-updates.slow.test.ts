import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { OverviewData } from '#dashboard/server/api/overview.ts';
import { createReader, ReadTimeoutError } from '#dashboard/server/reader/reader-process.ts';
import { createStoreFile } from '../support/store-file.ts';
import { readEvents } from './read-events.ts';
import { addRows, crawlRow, createStoreOf } from './store-rows.ts';
import { SETTINGS, startTestDashboard } from './support.ts';
import { fetchWithToken } from './token.ts';

/** The reader processes of this process, oldest first. */
const listReaders = (): number[] =>
  execFileSync('ps', ['--ppid', String(process.pid), '-o', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('reader-main.js') && !line.includes('<defunct>'))
    .map((line) => Number.parseInt(line, 10));

const hasCrawls = (n: number) => (data: OverviewData) => data.crawls.total === n;

/** Starts the dashboard of an empty store, and opens its stream of events. */
async function openStream() {
  const path = createStoreFile();
  const { url } = await startTestDashboard(path);
  const live = await readEvents(`${url}/api/live`);
  return { path, url, live };
}

test('a commit of another process reaches all open pages', async () => {
  const path = createStoreFile();
  const { url } = await startTestDashboard(path);
  const [first, second] = await Promise.all([readEvents(`${url}/api/live`), readEvents(`${url}/api/live`)]);
  await first.waitFor('overview', hasCrawls(0));
  addRows(path, { crawls: [crawlRow({ id: 1 })] });
  await first.waitFor('overview', hasCrawls(1));
  await second.waitFor('overview', hasCrawls(1));
  const late = await readEvents(`${url}/api/live`);
  expect(await late.waitFor<OverviewData>('overview')).toMatchObject({ crawls: { total: 1 } });
});

test('a change of the queue reaches the pages', async () => {
  let problem = false;
  const readQueue = async () => (problem ? { problem: 'the queue does not answer' } : undefined);
  const { url } = await startTestDashboard(createStoreFile(), { readQueue });
  const live = await readEvents(`${url}/api/live`);
  await live.waitFor<OverviewData>('overview', ({ attention }) => attention.length === 0);
  problem = true;
  const { work } = await live.waitFor<OverviewData>('overview', ({ attention }) => attention[0]?.id === 'queue');
  expect(work).toMatchObject({ state: 'unknown', sentence: 'unknown: the queue does not answer' });
});

test('while a read hangs, the stream goes on, and other pages are read', async () => {
  const { path, url, live } = await openStream();
  await live.waitFor('overview');
  const [reader] = listReaders();
  process.kill(reader!, 'SIGSTOP');
  onTestFinished(() => {
    if (listReaders().includes(reader!)) process.kill(reader!, 'SIGCONT');
  });
  addRows(path, { crawls: [crawlRow({ id: 1 })] });
  const from = live.events.length;
  await live.waitFor('beat', undefined, from);
  await live.waitFor('beat', undefined, live.events.length);
  expect(live.events.slice(from).filter(({ event }) => event === 'overview')).toEqual([]);
  expect(await (await fetchWithToken(`${url}/api/overview`)).json()).toMatchObject({ crawls: { total: 1 } });
  process.kill(reader!, 'SIGCONT');
  await live.waitFor('overview', hasCrawls(1));
});

test('a reader that is killed is started again', async () => {
  const { path, live } = await openStream();
  await live.waitFor('overview');
  const [reader] = listReaders();
  process.kill(reader!, 'SIGKILL');
  addRows(path, { crawls: [crawlRow({ id: 1 })] });
  await live.waitFor('overview', hasCrawls(1));
  expect(listReaders()).not.toContain(reader);
});

test('a store that is deleted is a problem until it is back; one that replaces it is read', async () => {
  const { path, url, live } = await openStream();
  await live.waitFor('overview', hasCrawls(0));
  renameSync(path, `${path}.moved`);
  const { message } = await live.waitFor<{ message: string }>('problem');
  expect(message).toContain(path);
  expect((await fetchWithToken(`${url}/api/overview`)).status).toBe(503);
  renameSync(createStoreOf({ crawls: [crawlRow({ id: 1 }), crawlRow({ id: 2 })] }), path);
  await live.waitFor('overview', hasCrawls(2));
});

test('a read that takes too long ends its process, and no process outlives the dashboard', async () => {
  const path = createStoreFile();
  const request = { parameters: {}, query: {}, queue: undefined };
  const order = { settings: { ...SETTINGS, path }, path: '/api/overview', request };
  const before = listReaders();
  {
    // A process takes longer to start.
    await using reader = createReader({ timeoutMs: 1, env: {} });
    await expect(reader.read(order)).rejects.toThrow(ReadTimeoutError);
    await expect(reader.read(order)).rejects.toThrow(ReadTimeoutError);
  }
  {
    await using reader = createReader({ timeoutMs: 20_000, env: {} });
    const { token, json } = await reader.read(order);
    expect(JSON.parse(json!)).toMatchObject({ counts: {} });
    expect(await reader.read({ ...order, unless: token })).toEqual({ token, json: undefined });
    const aborted = new AbortController();
    const [running, waiting] = [reader.read(order), reader.read(order, aborted.signal)];
    aborted.abort(new Error('the page was closed'));
    await running;
    await expect(waiting).rejects.toThrow('the page was closed');
    await expect(reader.read({ ...order, path: '/api/none' })).rejects.toThrow('there is no read /api/none');
    expect(listReaders().length).toBe(before.length + 1);
  }
  expect(listReaders()).toEqual(before);
});
