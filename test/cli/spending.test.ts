import { expect, test } from 'vitest';
import type { CrawlEnd } from '#service/kinds/decide-end.ts';
import type { PageRows, TweetRow, UserRow } from '#store/schema/normalised-rows.ts';
import { newStore, pageOf, rows, spec, progressOf, tweet } from '../store/support.ts';
import { runCli } from '../support/cli.ts';

const SERVED: CrawlEnd = { state: 'complete', ending: 'served' };
const DAY = 86_400_000;

const follower = (n: number, more: Partial<UserRow> = {}): UserRow => ({
  restId: `f${n}`,
  detailLevel: 'summary',
  screenName: `f${n}`,
  followersCount: 1,
  ...more,
});
const owner: UserRow = { restId: '1', detailLevel: 'reference', screenName: 'nasa' };
const list = (users: readonly UserRow[]): PageRows =>
  rows({
    users: [{ ...owner, detailLevel: 'summary', followersCount: users.length }, ...users],
    follows: [{ owner: '1', side: 'followers', members: users.map((one) => one.restId) }],
  });
const saying = (text: string): TweetRow => tweet('9', { authorRestId: '1', text });

test('trawl quota --by job counts changed, ended and deleted rows as found', async () => {
  const store = newStore();
  let slot = 0;
  /** A run of a job: one crawl of one page. */
  const run = async (name: string, kind: string, page: PageRows, end: CrawlEnd = SERVED) => {
    const at = ++slot * DAY;
    const target = kind === 'tweet' ? '9' : 'id:1';
    const [crawl] = (await store.write.openScheduledRun({
      name,
      slot,
      at,
      specs: [
        spec({
          kind,
          target,
        }),
      ],
      problem: null,
    }))!;
    const { leaseToken: lease } = (await store.write.takeLease(crawl!.id, at))!;
    await store.write.commitPage(
      pageOf(crawl!.id, lease, at + 1, {
        rows: page,
        end,
        requests: [
          {
            endpoint: kind,
            at: at + 1,
            status: 200,
            ms: 1,
            bytes: 1,
          },
        ],
        progress: progressOf({
          targetRestId: '1',
          items: page.users.length,
        }),
      }),
    );
  };
  await store.write.setSchedule(
    ['first', 'unfollows', 'nothing', 'changes', 'texts', 'deletions'].map((name) => ({
      name,
      job: '{}',
      schedule: '{}',
    })),
    1,
  );
  const people = Array.from({ length: 30 }, (_, n) => follower(n));
  await run('first', 'followers', list(people));
  // Twenty are gone from two complete lists in a row: the second proves it.
  await run('unfollows', 'followers', list(people.slice(20)));
  await run('unfollows', 'followers', list(people.slice(20)));
  await run('nothing', 'followers', list(people.slice(20)));
  await run('changes', 'followers', list([follower(20, { followersCount: 2 }), ...people.slice(21)]));
  await run('first', 'timeline', rows({ users: [owner], tweets: [saying('before')] }));
  await run('texts', 'timeline', rows({ users: [owner], tweets: [saying('after')] }));
  await run('deletions', 'tweet', rows(), { state: 'complete', reason: 'deleted' });

  const env = { TRAWL_DB: store.path };
  const { stdout } = await runCli('quota --by job --json', { env });
  const { rows: jobs } = JSON.parse(stdout) as { rows: { job: string }[] };
  const of = (name: string) => jobs.find(({ job }) => job === name);
  expect(of('first')).toMatchObject({ requests: 2, newItems: 31, changes: 0 });
  expect(of('unfollows')).toMatchObject({ requests: 2, newItems: 0, changes: 21, requestsPerNewOrChanged: 2 / 21 });
  expect(of('nothing')).toMatchObject({ requests: 1, newItems: 0, changes: 0, requestsPerNewOrChanged: null });
  for (const name of ['changes', 'texts', 'deletions'])
    expect(of(name), name).toMatchObject({ newItems: 0, changes: 1 });

  const table = (await runCli('quota --by job', { env })).stdout;
  const line = (name: string) => table.split('\n').find((each) => each.startsWith(name));
  expect(line('unfollows')).not.toMatch(/nothing/);
  expect(line('unfollows')).toMatch(/\b21\b/);
  expect(line('nothing')).toMatch(/no rows$/);
});
