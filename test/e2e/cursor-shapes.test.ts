import { expect, test } from 'vitest';
import { json, serve } from '../client/service.ts';
import { runCli } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';
import { rowsOf, valueOf } from './support.ts';

/** A service that serves 15 followers of one account, five to a page; how its cursors look can be changed. */
async function serveFollowers() {
  let cursorOf: (next: number) => unknown = (next) => ({ value: String(next), cursorType: 'Bottom' });
  const asked: string[] = [];
  const { url: address } = await serve((response, { url }) => {
    const from = Number(url.searchParams.get('cursor') ?? 0);
    if (url.pathname.endsWith('followers')) asked.push(url.searchParams.get('cursor') ?? '');
    const entries = Array.from({ length: 5 }, (_, i) => {
      const id = String(100 + from + i);
      return { entryId: `user-${id}`, content: { user: { id, rest_id: id, name: id, screen_name: `u${id}` } } };
    });
    const instruction = { entries, ...(from < 10 ? { cursor: cursorOf(from + 5) } : {}) };
    const answers: Record<string, unknown> = {
      'token-info': { app_limit: 1000, remaining: 1000, reset_at: new Date(Date.now() + 900_000).toISOString() },
      'user-profile': { id: '1', userName: 'ada', followers: 15 },
      followers: { user: { id: '1', screen_name: 'ada' }, followers: { timeline: { instructions: [instruction] } } },
    };
    json(response, { data: answers[url.pathname.split('/').at(-1)!] });
  });
  const db = tempFile('mine.db');
  const env = { TRAWL_API_URL: address, TRAWL_API_KEY: 'key', TRAWL_DB: db };
  return {
    db,
    env,
    asked,
    sendCursors(as: (next: number) => unknown) {
      cursorOf = as;
    },
    crawl: () => runCli(['crawl', 'followers', 'id:1', '-q'], { env }),
  };
}

test('a crawl that ended at an unreadable cursor resumes at the first page', async () => {
  const { db, env, crawl, sendCursors, asked } = await serveFollowers();
  sendCursors((next) => (next === 5 ? { value: '5' } : {}));
  expect((await crawl()).code).toBe(3);
  expect(valueOf(db, 'select count(*) from follows')).toBe(10);
  sendCursors((next) => ({ value: String(next) }));
  expect((await runCli(['crawls', 'resume', '1'], { env })).stdout).toContain('restarts at the first page');
  expect((await runCli(['work', '--exit-when-idle'], { env })).code).toBe(0);
  expect(rowsOf(db, 'select id, state, ending from crawls')).toEqual([{ id: 1, state: 'complete', ending: 'served' }]);
  expect(valueOf(db, 'select count(*) from follows')).toBe(15);
  expect(asked).toEqual(['', '5', '', '5', '10']);
});

test.each([
  ['a number', (next: number) => ({ value: next, cursorType: 'Bottom' }), 'sends a number as a cursor'],
  ['a bare text', (next: number) => String(next), 'in a place that the interface does not document'],
  ['a bare number', (next: number) => next, 'in a place that the interface does not document'],
])('a cursor that is %s is followed to the end, and doctor reports it', async (_, cursorOf, says) => {
  const { db, env, crawl, sendCursors } = await serveFollowers();
  sendCursors(cursorOf);
  expect((await crawl()).code).toBe(0);
  expect(rowsOf(db, 'select state, ending, items from crawls')).toEqual([
    { state: 'complete', ending: 'served', items: 15 },
  ]);
  const { stdout, code } = await runCli(['doctor'], { env });
  expect(stdout).toContain(says);
  expect(code).toBe(0);
});
