import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { revokeKey } from '#twin/serve/quota/twin-keys.ts';
import { runProcess, runSuccessfully } from '../support/cli.ts';
import { withRedis } from '../support/redis.ts';
import { tempDir } from '../support/temp.ts';
import { startWebhook, WEBHOOK_SECRET } from '../support/webhook.ts';
import { followedBy, peopleOf, serve, valueOf, withWorld } from './support.ts';

const world = withWorld(50, 7);

test('workers alert a webhook when the key is refused and when runs of a job fail, and when both recover', async () => {
  const { url, received } = await startWebhook();
  const service = await serve(world);
  const redis = await withRedis();
  const env = { ...service.env, REDIS_URL: `unix://${redis.connection.path}`, TRAWL_NOTIFY_URL: url };
  const jobs = join(tempDir(), 'jobs');
  mkdirSync(jobs);
  const writeJob = (handle: string): void =>
    writeFileSync(
      join(jobs, 'nightly.yaml'),
      `every: 1s\nkind: profile\ntargets: [${handle}]\nnotify: { failedRuns: 2 }\n`,
    );
  /** All that workers print. */
  let output = '';
  const work = async (more: Readonly<Record<string, string>> = {}): Promise<number | null> => {
    const { code, stdout, stderr } = await runProcess(['work', '--jobs', jobs, '--exit-when-idle'], {
      env: { ...env, ...more },
    });
    output += stdout + stderr;
    return code;
  };
  const states = (): string[] => received.map(({ alert, state }) => `${alert} ${state}`);

  writeJob('nobody_has_this_handle');
  for (const _ of [1, 2]) expect(await work({ TRAWL_API_KEY: 'trawl_not_a_key_of_this_twin' })).toBe(78);
  expect(states(), output).toEqual(['key_refused firing']);

  const countRuns = (): number => valueOf(service.db, 'select count(*) from runs');
  while ((await work()) === 0 && countRuns() < 3);
  expect(states(), output).toEqual(['key_refused firing', 'key_refused resolved', 'job_failed firing']);
  expect(received[2]).toMatchObject({ job: 'nightly', reason: 'not_found' });

  writeJob(peopleOf(world, 1)[0]!.handle);
  expect(await work()).toBe(0);
  expect(states().slice(3), output).toEqual(['job_failed resolved']);
  const printed = output + JSON.stringify(received);
  for (const secret of [WEBHOOK_SECRET, service.key]) expect(printed).not.toContain(secret);
  expect(readFileSync(service.db).includes(WEBHOOK_SECRET), 'the database has no address of the environment').toBe(
    false,
  );
}, 120_000);

test('a key that is revoked while a worker runs ends the worker, and its alert is sent before', async () => {
  const { url, received } = await startWebhook();
  const { handle } = followedBy(world, 5);
  const service = await serve(world, {
    pageSize: 1,
    onAsked: ({ n }) => void (n === 3 && revokeKey(world.db, service.key.slice(0, 12), Date.now())),
  });
  const env = { ...service.env, TRAWL_NOTIFY_URL: 'http://127.0.0.1:1/not-used' };
  await runSuccessfully(['enqueue', 'followers', handle, '--yes'], { env });
  const { code, stderr } = await runProcess(['work', '--notify', url], { env });
  expect(code, stderr).toBe(78);
  expect(received).toMatchObject([{ alert: 'key_refused', state: 'firing' }]);
  expect(stderr).toContain('"msg":"alert sent"');
});
