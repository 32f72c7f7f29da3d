import { expect, test } from 'vitest';
import { type CliProcess, runCli, runJson, runSuccessfully, spawnCli } from '../support/cli.ts';
import { followedBy, serve, valueOf, withWorld } from './support.ts';

/** Requests that a killed worker may have sent and not recorded: every account of requests shows them. */

const world = withWorld(120, 7);

test('quota, crawls show and status show requests that a killed worker may have sent (invariant 8)', async () => {
  const { handle } = followedBy(world, 30);
  let child: CliProcess | undefined;
  const { asked, db, env } = await serve(world, {
    pageSize: 5,
    onAsked: ({ n }) => void (n === 3 && child?.kill('SIGKILL')),
  });
  child = spawnCli(['crawl', 'followers', handle], { env });
  await child.exited;
  child = undefined;
  await runSuccessfully(['crawl', 'followers', handle], { env });
  const print = async (...words: string[]) => (await runCli([...words], { env })).stdout;
  const json = (...words: string[]) => runJson(words, { env });
  const unknown = valueOf(db, 'select sum(unknown_requests) from crawls');
  const recorded = valueOf(db, 'select count(*) from requests');
  expect(unknown).toBeGreaterThan(0);
  expect(recorded + unknown).toBeGreaterThanOrEqual(asked.length);

  const most = `sent at most ${unknown} request`;
  expect(await print('crawls', 'show', '1')).toContain(`Killed workers ${most}`);
  expect(await json('crawls', 'show', '1')).toMatchObject({ crawls: [{ unknownRequests: unknown }] });
  expect(await print('status')).toContain(`at most ${unknown} request`);
  expect(await json('status')).toMatchObject({ unknownRequests: unknown });

  for (const by of ['crawl', 'kind']) {
    const table = await print('quota', '--by', by);
    expect(table).toMatch(/^.+ requests +unknown /);
    expect(table).toMatch(new RegExp(` ${recorded} +\\+ ${unknown} `));
    expect(table).toContain('unknown: the maximum number of requests that killed workers sent without a record');
    expect(await json('quota', '--by', by)).toMatchObject({
      total: { requests: recorded, unknownRequests: unknown },
      rows: [{ unknownRequests: unknown }],
    });
  }
  expect(await print('quota', '--by', 'day')).toContain(
    `not included: at most ${unknown} requests that killed workers sent`,
  );
  expect(await json('quota', '--by', 'day')).toMatchObject({
    total: { unknownRequests: null },
    undatedUnknownRequests: unknown,
  });
});
