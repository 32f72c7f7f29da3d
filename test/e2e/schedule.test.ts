import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { SECOND } from '#base/clock.ts';
import { tweets } from '#store/schema/tables.ts';
import { type CliProcess, runSuccessfully, spawnCli } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';
import { askedTwice, rowsOf, serve, valueOf, withWorld } from './support.ts';

const world = withWorld(120, 7);

/** An account whose timeline fits on one page. */
const author = () =>
  rowsOf<{ id: number; restId: string }>(
    world.file,
    `select users.id, users.rest_id as restId from users join tweets on author_id = users.id
     where in_reply_to_status_rest_id is null group by users.id having count(*) between 2 and 8 limit 1`,
  )[0]!;

interface Run {
  readonly state: string;
  readonly createdAt: number;
  readonly finishedAt: number | null;
  readonly newItems: number;
}

const runsIn = (db: string): Run[] =>
  rowsOf(
    db,
    'select state, created_at as createdAt, finished_at as finishedAt, new_items as newItems from crawls order by id',
  );

/**
 * Returns the interval of a job in ms: whole seconds, at least 2, and long enough for a process to start several times on
 * this machine. A run that is triggered after the time of the next one is replaced by that.
 */
async function chooseInterval(): Promise<number> {
  const from = Date.now();
  await runSuccessfully(['--version']);
  return SECOND * Math.max(2, Math.ceil((6 * (Date.now() - from)) / SECOND));
}

test('a job with a short interval runs once at each time, through a killed and a stopped worker', async () => {
  const { id, restId } = author();
  const service = await serve(world);
  const every = await chooseInterval();
  const cwd = tempDir();
  mkdirSync(join(cwd, 'jobs'));
  writeFileSync(
    join(cwd, 'jobs', 'often.yaml'),
    `every: ${every / SECOND}s\nkind: timeline\ntargets: ["id:${restId}"]\n`,
  );
  const { db, env } = service;
  const start = () => spawnCli(['work', '--jobs', 'jobs'], { env, cwd });
  const up = (worker: CliProcess) => worker.waitForLine(/"msg":"schedule"/);
  const had = valueOf(
    world.file,
    'select count(*) from tweets where author_id = ? and in_reply_to_status_rest_id is null',
    id,
  );

  /** Resolves when so many runs have ended. Posts one more tweet after each. */
  let posted = 0;
  const ended = async (count: number): Promise<void> => {
    for (; posted < count; posted += 1) {
      await vi.waitUntil(() => runsIn(db).filter(({ finishedAt }) => finishedAt !== null).length > posted, {
        timeout: 10 * every,
      });
      const at = Date.now();
      world.db
        .insert(tweets)
        .values({
          restId: `9${at}`,
          authorId: id,
          text: `post ${posted}`,
          createdAt: at,
          firstSeenAt: at,
          lastSeenAt: at,
        })
        .run();
    }
  };
  /** Times without a worker. */
  const away: { from: number; to: number }[] = [];
  const restart = async (worker: CliProcess, signal: NodeJS.Signals): Promise<CliProcess> => {
    const from = Date.now();
    worker.kill(signal);
    await worker.exited;
    const next = start();
    await up(next);
    away.push({ from, to: Date.now() });
    return next;
  };

  let worker = start();
  await up(worker);
  await ended(2);
  // Its private Redis outlives a worker that is killed, and ends with one that is stopped.
  worker = await restart(worker, 'SIGKILL');
  await ended(4);
  worker = await restart(worker, 'SIGTERM');
  await ended(5);
  worker.kill('SIGTERM');
  expect(await worker.exited, worker.lines.join('\n')).toBe(0);

  const runs = runsIn(db);
  const madeAt = valueOf(db, 'select scheduled_at from _scheduled_jobs');
  const times = runs.map(({ createdAt }) => Math.floor((createdAt - madeAt) / every));
  const log = JSON.stringify({ times, away: away.map(({ from, to }) => [from - madeAt, to - madeAt]) });
  expect(new Set(times).size, `none is doubled: ${log}`).toBe(times.length);
  const missed = Array.from({ length: times.at(-1)! }, (_, slot) => slot).filter((slot) => !times.includes(slot));
  // On a busy machine, the first worker may start late.
  away.unshift({ from: madeAt, to: runs[0]!.createdAt });
  /** On a busy machine a run may outlast the time of the next one, which then does not begin. */
  const underWay = runs.map(({ createdAt, finishedAt }) => ({ from: createdAt, to: finishedAt ?? Infinity }));
  const excused = missed.filter((slot) =>
    [...away, ...underWay].some(({ from, to }) => madeAt + slot * every >= from && madeAt + slot * every < to),
  );
  expect(missed, `missed only without a worker or during another run: ${log}`).toEqual(excused);
  // The crawl of the last run may still be queued when the worker is stopped.
  const finished = runs.filter(({ finishedAt }) => finishedAt !== null);
  expect(runs.slice(0, -1)).toEqual(finished.slice(0, runs.length - 1));
  for (const [i, run] of finished.entries()) {
    expect(run.state).toBe('complete');
    expect(run.createdAt, 'none begins before the last one has ended').toBeGreaterThanOrEqual(
      runs[i - 1]?.finishedAt ?? 0,
    );
  }
  expect(
    runs.slice(0, 5).map(({ newItems }) => newItems),
    'each sees what is new',
  ).toEqual([had, 1, 1, 1, 1]);
  expect(valueOf(db, 'select count(*) from requests')).toBe(service.asked.length);
  expect(service.asked, 'one page each').toHaveLength(finished.length);
  expect(askedTwice(service)).toBe(finished.length - 1);
});
