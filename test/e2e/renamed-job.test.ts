import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runCli, runJson, startCli } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';
import { rowsOf, serve, withWorld } from './support.ts';

const world = withWorld(60, 7);

interface Listed {
  readonly jobs: readonly {
    readonly lastSuccessAt: string | null;
    readonly attention: { readonly alert: string } | null;
    readonly renames: readonly { readonly handle: string; readonly shown: string; readonly holder: string | null }[];
  }[];
}

test('a scheduled job follows its account through a rename and a taken handle, and reports it', async () => {
  const { db, env } = await serve(world);
  const [anna, bob] = rowsOf<{ id: string; handle: string }>(
    world.file,
    `select users.rest_id as id, screen_name as handle from users join tweets on author_id = users.id
     where in_reply_to_status_rest_id is null group by users.id having count(*) between 1 and 8 limit 2`,
  ) as [{ id: string; handle: string }, { id: string; handle: string }];
  const rename = world.db.$client.prepare('update users set screen_name = ? where rest_id = ?');
  onTestFinished(() => {
    rename.run(anna.handle, anna.id);
    rename.run(bob.handle, bob.id);
  });
  const cwd = tempDir();
  mkdirSync(join(cwd, 'jobs'));
  writeFileSync(join(cwd, 'jobs', 'panel.yaml'), `every: 1s\nkind: timeline\ntargets: ["@${anna.handle}"]\n`);
  writeFileSync(join(cwd, 'jobs', 'lost.yaml'), 'every: 1s\nkind: timeline\ntargets: [nobody_of_that_name]\n');
  const crawls = () =>
    rowsOf<{ id: number; target: string; targetId: string; state: string }>(
      db,
      `select crawls.id, target, target_rest_id as targetId, crawls.state from crawls join runs on runs.id = run_id
       where job_name = 'panel' and finished_at is not null order by crawls.id`,
    );
  const worker = startCli(['work', '--jobs', 'jobs'], { env, cwd });
  /** Waits for two runs that begin from now on. */
  const twoRuns = async (): Promise<void> => {
    const before = crawls().length;
    await vi.waitUntil(() => crawls().length > before + 2, { timeout: 60_000 });
  };
  await worker.waitForLine(/"msg":"schedule"/);
  await vi.waitUntil(() => crawls().length > 0, { timeout: 60_000 });

  rename.run('annab', anna.id);
  await twoRuns();
  rename.run(anna.handle, bob.id);
  await twoRuns();
  worker.kill('SIGTERM');
  expect(await worker.exited).toBe(0);

  expect(new Set(crawls().map(({ targetId }) => targetId))).toEqual(new Set([anna.id]));
  expect(crawls().map(({ state }) => state)).not.toContain('failed');
  const said = worker.lines.join('\n');
  expect(said).toContain(`${anna.handle} is now called annab; following the account id ${anna.id}`);
  const taken = `@${anna.handle} now belongs to another account, id ${bob.id}; the job keeps following id ${anna.id}, now @annab`;
  expect(said).toContain(taken);

  const list = await runCli(['schedule', 'list'], { cwd, env });
  expect(list.stdout).toContain(`panel: ${taken}`);
  // The crawl of the last run may still be queued when the worker is stopped.
  expect(list.stdout).toMatch(/\nlost .*Z: (failed, the service does not have it|unfinished) +never/);
  expect(list.stdout).toMatch(/\npanel .*Z: (succeeded.*|unfinished) +\d{4}-/);
  const { jobs } = await runJson<Listed>(['schedule', 'list'], { cwd, env });
  expect(jobs[0]).toMatchObject({ lastSuccessAt: null, renames: [] });
  expect(jobs[0]!.attention).toMatchObject({ alert: 'job_failed' });
  expect(jobs[1]).toMatchObject({
    lastSuccessAt: expect.stringMatching(/Z$/),
    attention: null,
    renames: [{ handle: anna.handle, id: anna.id, shown: 'annab', holder: bob.id }],
  });

  const doctor = await runCli(['doctor'], { cwd, env });
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toMatch(/✗ jobs +job lost: the last \d+ runs failed \(not_found\)/);
  expect(doctor.stdout).not.toContain('panel');
});
