import { expect, test } from 'vitest';
import { serve, valueOf, withWorld } from '../e2e/support.ts';
import { runCli } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';

const world = withWorld(60, 7);
const MINUTE = /\d{4}-\d\d-\d\d \d\d:\d\d/.source;

test('trawl coverage draws intervals and gaps in the width of a terminal, beside stored and reported counts', async () => {
  const { env } = await serve(world, { pageSize: 5 });
  const writer = `select screen_name from users join tweets on author_id = users.id and in_reply_to_status_rest_id is null
    group by author_id order by count(*) desc limit 1`;
  const handle = valueOf<string>(world.file, writer);
  const tweets = valueOf(
    world.file,
    'select count(*) from tweets where in_reply_to_status_rest_id is null and author_id = (select id from users where screen_name = ?)',
    handle,
  );
  const reported = valueOf(
    world.file,
    'select count(*) from tweets where author_id = (select id from users where screen_name = ?)',
    handle,
  );
  const db = tempFile('mine.db');
  const run = (...args: string[]) => runCli(args, { env: { ...env, TRAWL_DB: db, NO_COLOR: '1' } });
  expect(await run('crawl timeline', handle, '--max-pages', '1', '-q')).toMatchObject({ code: 3 });

  const partial = await run('coverage', `@${handle}`);
  expect(partial.code).toBe(0);
  expect(partial.stdout).toMatch(
    new RegExp(`^${handle} \\(id \\d+\\)\\n\\ntimeline: 1 period not complete\\n.*\\n  5 stored\\n`),
  );
  expect(partial.stdout).toMatch(/^(?=.{80}$)\d{4}-\d\d-\d\d ·+▒?█+ \d{4}-\d\d-\d\d$/m);
  expect(partial.stdout).toMatch(/^█ complete {2}▒ partly complete {2}· gap$/m);
  expect(partial.stdout).toMatch(new RegExp(`${MINUTE} +${MINUTE} +complete: 1 page\\n`));
  expect(partial.stdout).toMatch(new RegExp(`${MINUTE} +${MINUTE} +gap: page limit \\(crawl 1\\)\\n`));
  expect(JSON.parse((await run('coverage', handle, '--json')).stdout)).toMatchObject({
    intervals: [{ kind: 'timeline', listEnd: null, crawlId: 1 }],
    gaps: [{ kind: 'timeline', reason: 'max_pages', olderRestId: null, olderAt: null, crawlId: 1 }],
  });

  expect(await run('crawl timeline', handle, '-q')).toMatchObject({ code: 0 });
  const { stdout } = await run('coverage', handle);
  expect(stdout).toMatch(/\n\S+ █{58} \S+\n/);
  expect(stdout).toMatch(new RegExp(`${MINUTE} +${MINUTE} +complete: \\d+ pages, to the end of the list\\n`));
  expect(stdout).not.toMatch(/ gap/);
  expect(stdout).toMatch(
    new RegExp(
      `\\ntweets: ${tweets} stored, from all lists and searches\\n[^]*\\ntimeline +${tweets} *\\nreplies +0 +${reported} +0 % +(?:just now|.* ago)\\n`,
    ),
  );
  for (const line of [...partial.stdout.split('\n'), ...stdout.split('\n')])
    expect(line.length).toBeLessThanOrEqual(80);
  expect(JSON.parse((await run('coverage', handle, '--json')).stdout)).toMatchObject({
    account: { screenName: handle },
    intervals: [{ kind: 'timeline', listEnd: 'served', crawlId: 2 }],
    gaps: [],
    counts: { tweets: { stored: tweets }, timeline: { stored: tweets, score: null }, followers: { stored: 0 } },
  });

  expect(await run('coverage nobody_at_all')).toMatchObject({
    code: 1,
    stdout: '',
    stderr:
      'trawl: not collected: the database does not have the account nobody_at_all\n  `trawl crawl profile nobody_at_all` collects it.\n',
  });
  expect(await run('coverage', 'not a name')).toMatchObject({ code: 2 });
});
