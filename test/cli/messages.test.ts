import { expect, test } from 'vitest';
import { createCrawlOptions } from '../../src/jobs/job.ts';
import { serve, valueOf, withWorld } from '../e2e/support.ts';
import { runCli } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';

const DAY_OR_AGE = 'a day such as 2024-01-31, a time such as 2024-01-31T12:00:00Z, or an age such as 24h or 30d.';

test.each([
  [['serve', '--latency', 'abc'], 'milliseconds such as 50, or a number with a unit, such as 2s.'],
  [['quota', '--by', 'kind', '--seen-since', 'foo'], DAY_OR_AGE],
  [['backfill', 'search', 'moon', '--since', '30'], DAY_OR_AGE],
  [['keys', 'create', '--name', ' '], 'It must not be empty.'],
])('%j is refused with all allowed values', async (args, says) => {
  const { code, stdout, stderr } = await runCli(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(says);
});

test('crawl, backfill and job files read an age alike: days count from the start of a day', async () => {
  const service = await serve(withWorld(30, 3));
  const db = tempFile('age.db');
  const env = { ...service.env, TRAWL_DB: db };
  // Around midnight it may be either day.
  const since = () => createCrawlOptions({ options: { since: '30d' } }, Date.now()).since!;
  const before = since();
  expect(await runCli(['enqueue', 'timeline', 'nasa', '--since', '30d'], { env })).toMatchObject({ code: 0 });
  expect([before, since()]).toContain(valueOf(db, "select options ->> 'since' from crawls"));
  const { stdout } = await runCli(['backfill', 'search', 'moon', '--since', '30d', '--dry-run', '--json'], { env });
  const day = new Date(before).toISOString();
  expect([day, new Date(since()).toISOString()]).toContain(JSON.parse(stdout).since);
});
