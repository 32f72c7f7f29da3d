import { expect, test } from 'vitest';
import { serve, valueOf, withWorld } from '../e2e/support.ts';
import { runCli } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';

const world = withWorld(60, 7);
const MINUTE = /\d{4}-\d\d-\d\d \d\d:\d\d/.source;

test('trawl coverage draws intervals and gaps, and shows stored beside reported counts', async () => {
  const { env } = await serve(world, { pageSize: 5 });
  const writer = `select screen_name from users join tweets on author_id = users.id and in_reply_to_status_rest_id is null
    group by author_id order by count(*) desc limit 1`;
  const handle = valueOf<string>(world.file, writer);
  const tweets = valueOf(
    world.file,
    'select count(*) from tweets where in_reply_to_status_rest_id is null and author_id = (select id from users where screen_name = ?)',
    handle,
  );
  const db = tempFile('mine.db');
  const run = (...args: string[]) => runCli(args, { env: { ...env, TRAWL_DB: db, NO_COLOR: '1' } });
  expect(await run('crawl', 'timeline', handle, '--max-pages', '1', '-q')).toMatchObject({ code: 3 });

  const partial = await run('coverage', `@${handle}`);
  expect(partial.code).toBe(0);
  expect(partial.stdout).toMatch(new RegExp(`^${handle} \\(id \\d+\\)\\n\\ntimeline\\n\\S+ ····█+ \\S+\\n`));
  expect(partial.stdout).toMatch(new RegExp(`complete +${MINUTE} +${MINUTE} +1 page\\n`));
  expect(partial.stdout).toMatch(new RegExp(`gap +the beginning +${MINUTE} +stopped at --max-pages\\n`));
  expect(JSON.parse((await run('coverage', handle, '--json')).stdout)).toMatchObject({
    intervals: [{ kind: 'timeline', listEnd: null, crawlId: 1 }],
    gaps: [{ kind: 'timeline', reason: 'max_pages', olderRestId: null, olderAt: null, crawlId: 1 }],
  });

  expect(await run('crawl', 'timeline', handle, '-q')).toMatchObject({ code: 0 });
  const { stdout } = await run('coverage', handle);
  expect(stdout).toMatch(/\n\S+ █{54} \S+\n/);
  expect(stdout).toMatch(new RegExp(`complete +${MINUTE} +${MINUTE} +\\d+ pages, to the end of the list\\n`));
  expect(stdout).not.toMatch(/^gap/m);
  expect(stdout).toMatch(new RegExp(`\\ntweets +${tweets} +\\d+ +\\d+% +(?:just now|.* ago)\\nfollowers +0 +`));
  for (const line of [...partial.stdout.split('\n'), ...stdout.split('\n')])
    expect(line.length).toBeLessThanOrEqual(80);
  expect(JSON.parse((await run('coverage', handle, '--json')).stdout)).toMatchObject({
    account: { screenName: handle },
    intervals: [{ kind: 'timeline', listEnd: 'served', crawlId: 2 }],
    gaps: [],
    counts: { tweets: { stored: tweets, score: expect.any(Number) }, followers: { stored: 0 } },
  });

  expect(await run('coverage', 'nobody_at_all')).toMatchObject({
    ...{ code: 1, stdout: '' },
    stderr: 'trawl: the store has no account nobody_at_all\n  `trawl crawl profile nobody_at_all` fetches it.\n',
  });
  expect(await run('coverage', 'not a name')).toMatchObject({ code: 2 });
});

test('trawl coverage shows a list that is empty', async () => {
  const { env } = await serve(world);
  const handle = valueOf<string>(
    world.file,
    'select screen_name from users where id not in (select author_id from tweets where author_id is not null) limit 1',
  );
  const run = (...args: string[]) => runCli(args, { env: { ...env, TRAWL_DB: db } });
  const db = tempFile('mine.db');
  expect(await run('crawl', 'timeline', handle, '-q')).toMatchObject({ code: 0 });
  expect((await run('coverage', handle)).stdout).toMatch(
    new RegExp(
      `^${handle} \\(id \\d+\\)\\n\\ntimeline: the account had no tweets on \\d{4}-\\d\\d-\\d\\d\\n\\n +stored`,
    ),
  );
  expect(JSON.parse((await run('coverage', handle, '--json')).stdout)).toMatchObject({
    ...{ intervals: [], gaps: [], emptyLists: [{ kind: 'timeline', crawlId: 1, finishedAt: expect.any(String) }] },
  });
});
