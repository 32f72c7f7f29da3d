import { expect, test } from 'vitest';
import { createNewCrawlActions } from '#library/run/actions/new-crawl-actions.ts';
import { startWritable } from '../support.ts';
import { createCrawlStore } from './crawl-store.ts';

async function start() {
  const { store, queued, post } = await startWritable(createCrawlStore(10), createNewCrawlActions);
  const send: typeof post = (action, ...more) => post(`crawls/${action}`, ...more);
  return { store, queued, post: send };
}

const REQUEST = { kind: 'profile', targets: ['@NASA', 'esa', 'nasa', 'no handle!'], priority: 'backfill' };

test('a plan counts targets once, names those that are left out, and queues nothing', async () => {
  const { store, post } = await start();
  const { body } = await post('plan', REQUEST);
  // A profile is one request; with its redirections, at most some more.
  expect(body.result).toMatchObject({
    crawls: 2,
    min: 2,
    skipped: [expect.stringMatching(/^"no handle!" is not an account\. Name it /)],
  });
  expect(store.read.crawls([11])).toEqual([]);
});

test('queues the planned crawls, and nothing else than was planned', async () => {
  const { store, queued, post } = await start();
  expect(await post('create', { ...REQUEST, expected: 3 })).toMatchObject({
    status: 400,
    body: { error: 'nothing was queued: the plan had another number of crawls than 2; plan again' },
  });
  expect(await post('create', { ...REQUEST, expected: 2 }, { authorization: 'Bearer wrong' })).toMatchObject({
    status: 403,
  });
  expect(store.read.crawls([11])).toEqual([]);
  expect(await post('create', { ...REQUEST, expected: 2 })).toMatchObject({ body: { result: { opened: [11, 12] } } });
  expect(queued).toEqual([11, 12]);
  expect(
    store.read
      .crawls([11, 12])
      .map(({ target }) => target)
      .toSorted(),
  ).toEqual(['esa', 'nasa']);
});

test('a wrong request is refused, in the words of the form', async () => {
  const { post } = await start();
  for (const [changed, message] of [
    [{ targets: [] }, 'name at least one target'],
    [{ targets: [' '] }, 'name at least one target'],
    [{ targets: 'nasa' }, ''],
    [{ maxPages: 3 }, 'crawls of the kind profile have no page limit'],
    [{ maxPages: 0 }, ''],
    [{ since: '2025-01-31' }, 'crawls of the kind profile have no first day'],
    [{ since: 'yesterday' }, ''],
    [{ kind: 'timeline', since: '9999-01-31' }, 'the first day is in the future'],
    [{ kind: 'nothing' }, 'kind must be one of profile, '],
    [{ priority: 'urgent' }, ''],
  ] as const) {
    const { status, body } = await post('plan', { ...REQUEST, ...changed });
    expect([status, body.error], JSON.stringify(changed)).toEqual([400, expect.stringContaining(message)]);
    expect(body.error).not.toContain('--');
  }
});
