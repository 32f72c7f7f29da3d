import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { run } from '../../src/cli/run.ts';
import { DAY } from '../../src/clock.ts';
import type { OverviewData } from '../../src/dashboard/api/overview.ts';
import { createLog } from '../../src/log.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { startTwin } from '../../src/twin/http/start.ts';
import { createKey } from '../../src/twin/quota/keys.ts';
import { observeWorld, runCommand } from '../../test/report/observed-world.ts';
import type { Shown } from './pictures.ts';

type Env = Readonly<Record<string, string>>;

/** A dashboard with something to show on every page. Its address signs in. */
export interface BusyDashboard extends Shown, AsyncDisposable {
  readonly address: string;
}

/** The quota, and how much of it is left when the pictures are taken. */
const [LIMIT, LEFT] = [800, 600];
const WEEKS = 6;

const JOBS: Readonly<Record<string, string>> = {
  newsroom: "cron: '0 6 * * *'\nkind: replies\ntargets: [nightsky_now, sidetwo]\n",
  stars: 'every: 1m\nkind: timeline\ntargets: [nightsky_now, sidetwo]\nbudget: { perDay: 500 }\n',
};

/** Crawls a synthetic world, queues more crawls, and starts a worker with a dashboard in this process. */
export async function startBusyDashboard(folder: string): Promise<BusyDashboard> {
  const begin = Date.now() - WEEKS * 7 * DAY;
  const { db, accounts } = await observeWorld({ folder, users: 2500, weeks: WEEKS, begin });
  const file = join(folder, 'world.db');
  const { key, handles } = prepareWorld(file);
  const twin = await startTwin({ file, log: createLog({ level: 'silent' }), latencyMs: 500 });
  const env = { TRAWL_API_URL: twin.url, TRAWL_API_KEY: key, TRAWL_DB: db };
  const enqueue = async (...args: string[]): Promise<void> => {
    const { code, stderr } = await runCommand(['enqueue', ...args, '--yes'], env, folder);
    if (code !== 0) throw new Error(stderr);
  };
  // Their pages show a gap and a history, which further crawls would change.
  const others = handles.filter((handle) => ![accounts.gaps, accounts.complete].includes(handle));
  await enqueue('followers', ...others, '--priority', 'backfill');
  await enqueue('timeline', ...others.slice(0, 6), 'no_such_account');
  mkdirSync(join(folder, 'jobs'));
  for (const [name, text] of Object.entries(JOBS)) writeFileSync(join(folder, 'jobs', `${name}.yaml`), text);
  const stopped = new AbortController();
  const { address, ended } = await startWorker(env, folder, stopped.signal);
  const { spending } = await readUntil(address, ({ quota }) => quota !== null && quota.left < LEFT);
  await enqueue('replies', ...others.slice(0, 3));
  return {
    ...{ address, accounts, crawl: spending.crawls[0]!.id },
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await ended;
      await twin[Symbol.asyncDispose]();
    },
  };
}

/** Creates a key with a small quota, and lists the accounts with the most followers. */
function prepareWorld(path: string): { key: string; handles: string[] } {
  using world = openDatabase(path);
  const { key } = createKey(world, { name: 'pictures', limit: LIMIT, windowMs: 900_000, now: Date.now() });
  const handles = world.$client
    .prepare<[], string>(
      `select screen_name from users join follows on followee_id = users.id where screen_name not glob '*[^A-Za-z0-9_]*'
       group by users.id order by count(*) desc limit 150`,
    )
    .pluck()
    .all();
  return { key, handles };
}

async function startWorker(env: Env, cwd: string, signal: AbortSignal) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const streams = { stdin: Readable.from(['']), stdout: stdout.resume(), stderr };
  const args = ['work', '--jobs', 'jobs', '--dashboard', '127.0.0.1:0', '--concurrency', '3'];
  const ended = run(args, { env, cwd, streams, signal });
  for await (const line of createInterface(stderr)) {
    const [address] = /http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+/.exec(line) ?? [];
    if (address === undefined) continue;
    stderr.resume();
    return { address, ended };
  }
  throw new Error('the worker did not start');
}

/** Reads the overview until it fulfils a condition. */
async function readUntil(address: string, isEnough: (data: OverviewData) => boolean): Promise<OverviewData> {
  for (;;) {
    const data = (await (await fetch(new URL('/api/overview', address))).json()) as OverviewData;
    if (isEnough(data)) return data;
    await wait(500);
  }
}
