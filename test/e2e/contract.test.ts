import { expect, test } from 'vitest';
import { runCli, runJson } from '../support/cli.ts';
import { serve, withWorld } from './support.ts';

const world = withWorld(400, 11);

interface Answers {
  readonly questions: readonly { readonly question: string; readonly assumed: string; readonly found: string | null }[];
}

/** What a service shows of the questions that the specification leaves open, after probes. */
async function findAnswers(
  service: Parameters<typeof serve>[1],
): Promise<{ found: Record<string, string | null>; requests: number }> {
  const { asked, env } = await serve(world, service);
  const handle = world.db.$client
    .prepare<[], string>(
      `select screen_name from users join follows on followee_id = users.id
       group by users.id order by count(*) desc limit 1`,
    )
    .pluck()
    .get()!;
  const { questions } = await runJson<Answers>(['doctor', '--contract', handle], { env });
  expect(asked.length).toBeLessThanOrEqual(15);
  const sent = asked.length;
  // Without an account it sends nothing, and answers the same.
  expect(await runJson<Answers>(['doctor', '--contract'], { env })).toEqual({ questions });
  expect(asked.length).toBe(sent);
  return { found: Object.fromEntries(questions.map(({ question, found }) => [question, found])), requests: sent };
}

const NEXT_PAGE = 'parameter for the next page of followers and following';

test('at most 15 requests show what the specification leaves open', async () => {
  const { found } = await findAnswers({ pageSize: { followers: 3, 'user-tweets': 4 }, limit: 700 });
  expect(found[NEXT_PAGE]).toContain('followed by followers');
  expect(found['page size of lists']).toMatch(/\bfollowers up to 3\b/);
  expect(found['page size of lists']).toMatch(/\btimeline up to 4\b/);
  expect(found['quota and its window']).toMatch(/^700 requests, reset within/);
  expect(found['clock of the service']).toBe('the same time as here');
  // Nothing is claimed of what was not met.
  expect(found['fields beyond the documented ones']).toBeNull();
  expect(found['status when the quota is exceeded, and other statuses']).toBeNull();
  expect(found['versions of the service']).toBeNull();
});

test('what differs from the specification is found', async () => {
  const { found } = await findAnswers({
    pageSize: 3,
    faults: {
      seed: 1,
      plan: [
        { fault: 'unknown-fields' },
        { fault: 'too-many-requests', count: 'key', every: 4, seconds: 1 },
        { fault: 'missing-fields', endpoints: ['followers'], fields: ['description'] },
      ],
    },
  });
  expect(found['fields beyond the documented ones']).toMatch(/\w/);
  expect(found['status when the quota is exceeded, and other statuses']).toMatch(/^429 \(\d+ times\)$/);
  expect(found['fields that may be absent or null']).toMatch(/^summary\.description of followers \(\d+ % without\)/);
});

test('an account that the service does not have is an error, and so is a database without a page', async () => {
  const { env } = await serve(world);
  expect(await runCli(['doctor', '--contract'], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Name an account'),
  });
  expect(await runCli(['doctor', '--contract', 'nobody_has_this'], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no account nobody_has_this'),
  });
});
