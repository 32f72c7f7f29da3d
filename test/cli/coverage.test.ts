import { expect, test } from 'vitest';
import { serve, valueOf, withWorld } from '../e2e/support.ts';
import { runCli } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';

const world = withWorld(60, 7);
const DAY = /\d{4}-\d\d-\d\dT\S+Z/.source;

test('trawl coverage shows intervals, how they ended, and stored beside reported counts', async () => {
  const { env } = await serve(world, { pageSize: 5 });
  const writer = `select screen_name from users join tweets on author_id = users.id and in_reply_to_status_id is null
    group by author_id order by count(*) desc limit 1`;
  const handle = valueOf<string>(world.file, writer);
  const tweets = valueOf(
    world.file,
    'select count(*) from tweets where in_reply_to_status_id is null and author_id = (select id from users where screen_name = ?)',
    handle,
  );
  const db = tempFile('mine.db');
  const run = (...words: string[]) => runCli(words, { env: { ...env, TRAWL_DB: db } });
  expect(await run('crawl', 'timeline', handle, '--max-pages', '1', '-q')).toMatchObject({ code: 3 });
  expect(await run('crawl', 'timeline', handle, '-q')).toMatchObject({ code: 0 });

  const { code, stdout } = await run('coverage', `@${handle}`);
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`^${handle} \\(id \\d+\\)\\n`));
  expect(stdout).toMatch(new RegExp(`timeline +${DAY} +${DAY} +1 +5 +1 +below that unknown: stopped at --max-pages`));
  expect(stdout).toMatch(new RegExp(`timeline +${DAY} +${DAY} +\\d+ +${tweets} +2 +below that there is nothing`));
  expect(stdout).toMatch(new RegExp(`\\ntweets +${tweets} +\\d+ +.* ago\\nfollowers +0 +`));

  const document = JSON.parse((await run('coverage', handle, '--json')).stdout) as object;
  expect(document).toMatchObject({
    account: { screenName: handle },
    intervals: expect.arrayContaining([
      expect.objectContaining({ crawlId: 1, kind: 'timeline', bottom: 'max_pages', items: 5 }),
      expect.objectContaining({ crawlId: 2, kind: 'timeline', bottom: 'served', items: tweets }),
    ]),
    counts: { tweets: { stored: tweets }, followers: { stored: 0 } },
  });

  expect(await run('coverage', 'nobody_at_all')).toMatchObject({
    ...{ code: 1, stdout: '' },
    stderr: 'trawl: the store knows no account nobody_at_all\n  `trawl crawl profile nobody_at_all` asks for it.\n',
  });
  expect(await run('coverage', 'not a name')).toMatchObject({ code: 2 });
});
