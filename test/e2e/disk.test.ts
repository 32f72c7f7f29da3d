import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli, runJson, runSuccessfully, spawnCli, startCli } from '../support/cli.ts';
import { fillDisk, mountSmallDisk } from '../support/small-disk.ts';
import { tempDir } from '../support/temp.ts';
import { askedTwice, countFollowers, followedBy, rowsOf, serve, withWorld } from './support.ts';

/** Real processes whose disk has no room. */

const world = withWorld(120, 7);

const stateOf = (db: string) => rowsOf(db, 'select state, reason, consecutive_failures, finished_at from crawls')[0];
const PAUSED = { state: 'paused', reason: 'disk', consecutive_failures: 0, finished_at: null };

test('trawl work pauses crawls below the threshold without requests, and a worker with free space completes them', async () => {
  const { handle, id } = followedBy(world, 30);
  const { asked, env } = await serve(world, { pageSize: 3 });
  await runSuccessfully(['enqueue', 'followers', handle], { env });
  const worker = startCli(['work'], { env: { ...env, TRAWL_MIN_FREE_DISK: '100%' } });
  await worker.waitForLine(/"disk":{"event":"low"/);
  await expect.poll(() => stateOf(env.TRAWL_DB), { timeout: 30_000 }).toEqual(PAUSED);
  expect(await runJson(['status'], { env })).toMatchObject({ paused: [{ reason: 'disk', crawls: 1 }] });
  worker.kill('SIGTERM');
  expect(await worker.exited).toBe(0);
  expect(worker.lines.filter((line) => line.includes('"disk":{"event":"low"'))).toHaveLength(1);
  expect(asked).toEqual([]);

  await runSuccessfully(['work', '--exit-when-idle'], { env });
  expect(stateOf(env.TRAWL_DB)).toMatchObject({ state: 'complete', reason: null });
  expect(countFollowers(env.TRAWL_DB, id)).toBe(countFollowers(world.file, id));
});

test('trawl crawl waits for free space as long as --wait says, keeps the crawl and exits with 3', async () => {
  const { handle } = followedBy(world, 30);
  const { asked, env } = await serve(world);
  const command = ['crawl', 'followers', handle, '--json'];
  const limits = ['--wait', '1s', '--min-free-disk', '100%'];
  const { code, stdout, stderr } = await runCli([...command, ...limits], { env });
  expect(code, stderr).toBe(3);
  expect(stderr).toMatch(
    /^waiting for space: \S+ [MGT]B free, \S+ [MGT]B are kept free\. Crawls pause until .*TRAWL_MIN_FREE_DISK/m,
  );
  expect(stderr).toContain('there was still too little space after 1 s; --wait <duration> waits longer');
  expect(JSON.parse(stdout)).toMatchObject({ crawls: [{ state: 'paused', reason: 'disk', isComplete: false }] });
  expect(asked).toEqual([]);
  await runSuccessfully(command, { env });
});

test('trawl crawl says for which target too many facts wait, and resumes when it was removed', async () => {
  const { handle } = followedBy(world, 30);
  const { asked, env } = await serve(world);
  const lake = join(tempDir(), 'lake');
  const command = ['crawl', 'followers', handle];
  await runSuccessfully(['enqueue', 'followers', handle], { env });
  await runSuccessfully(['lake', 'add', lake, '--ship-backlog', '100B'], { env });
  await runSuccessfully(['enqueue', 'timeline', handle], { env });
  const { code, stdout, stderr } = await runCli([...command, '--wait', '1s'], { env });
  expect(code, stderr).toBe(3);
  const lines = stderr.split('\n').map((line) => line.replaceAll(/\d[\d.]* k?B/g, 'n B'));
  expect(lines).toContain(
    `waiting for space: n B of facts wait to be shipped to ${lake}, at most n B may. Crawls pause until \`trawl lake ship\` has shipped some`,
  );
  expect(stdout).toContain('waiting for space: ');
  expect(asked).toEqual([]);
  await runSuccessfully(['lake', 'remove', lake], { env });
  await runSuccessfully(command, { env });
});

test.each([
  ['trawl crawl', (handle: string) => ['crawl', 'followers', handle]],
  ['trawl work', () => ['work', '--exit-when-idle']],
])(
  '%s: a full disk pauses the crawl without further requests, and it completes when there is free space',
  async (_, of) => {
    const disk = mountSmallDisk();
    // As another user than root.
    if (disk === undefined) return;
    const { handle, id } = followedBy(world, 30);
    const filler = join(disk, 'filler');
    const service = await serve(world, { pageSize: 3, onAsked: ({ n }) => void (n === 5 && fillDisk(filler)) });
    const env = { ...service.env, TRAWL_DB: join(disk, 'mine.db'), TRAWL_MIN_FREE_DISK: '0' };
    await runSuccessfully(['enqueue', 'followers', handle], { env });
    const child = spawnCli(of(handle), { env });
    await child.waitForLine(/waiting for space: /);
    const sent = service.asked.length;
    expect(sent).toBeLessThanOrEqual(6);
    // It looks again once, at least, and sends nothing.
    await expect
      .poll(() => stateOf(env.TRAWL_DB), { timeout: 30_000 })
      .toMatchObject({ consecutive_failures: 0, finished_at: null });
    expect(service.asked).toHaveLength(sent);
    rmSync(filler);
    expect(await child.exited, child.lines.join('\n')).toBe(0);
    expect(stateOf(env.TRAWL_DB)).toMatchObject({ state: 'complete', consecutive_failures: 0 });
    expect(countFollowers(env.TRAWL_DB, id)).toBe(countFollowers(world.file, id));
    expect(askedTwice(service)).toBeLessThanOrEqual(2);
    // On record, or in flight when not even that could be written.
    const [account] = rowsOf<{ requests: number; unknown: number }>(
      env.TRAWL_DB,
      'select requests, unknown_requests as unknown from crawls',
    );
    expect(account!.requests + account!.unknown).toBeGreaterThanOrEqual(service.asked.length);
  },
);
