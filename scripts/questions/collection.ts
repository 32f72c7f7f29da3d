import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { buildChildEnvironment } from '../../src/config.ts';

/** The collection that docs/questions.md is about: a generated world that is crawled through the twin on some days. */

const ROOT = resolve(import.meta.dirname, '../..');
const CLOCK = pathToFileURL(join(import.meta.dirname, 'fixed-clock.mjs')).href;

/** The arguments that create the world. */
export const CREATE = ['world', 'create', '--users', '400', '--seed', '7', '--db', 'world.db'];
export const STEP_DAYS = 4;
/** The days of the crawls, after the end of the world's first part. */
export const DAYS: readonly number[] = [0, 4, 8, 16, 20, 24, 28];

const WRITERS = ['HarbourNews', 'nightsky_now', 'MatchdayLive', 'sidetwo', '_malee3', 'JON_cloud'];

/** The crawls of each of these days. */
export const CRAWLS: readonly (readonly string[])[] = [
  ['crawl', 'profile', 'HarbourNews', 'nightsky_now'],
  ['crawl', 'followers', 'HarbourNews', 'nightsky_now'],
  ['crawl', 'timeline', ...WRITERS, '--full-refresh'],
  ['crawl', 'replies', 'HarbourNews', 'sidetwo'],
];

/** What a command printed. */
export interface Output {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Run = (args: readonly string[]) => Promise<Output>;

/** The noon of a day of the world, which ends on 1 January 2026 before its first step. */
const noonAfter = (days: number): number => Date.UTC(2026, 0, 1 + days, 12);

/** The settings of a process whose clock stands at a time. */
const stopClock = (now: number) => ({ NODE_OPTIONS: `--import ${CLOCK}?now=${now}` });

/** Starts a process of trawl in a folder. */
const start = (folder: string, args: readonly string[], env: Readonly<Record<string, string>>) =>
  spawn(process.execPath, [join(ROOT, 'bin', 'trawl.js'), ...args], {
    cwd: folder,
    env: { ...buildChildEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

async function run(folder: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Output> {
  const child = start(folder, args, env);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

/**
 * Creates the world in a folder, and crawls it. Returns a function that runs commands on the collection, a day later.
 * @throws Error if a command fails
 */
export async function collect(folder: string): Promise<Run> {
  const succeed = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> => {
    const { code, stdout, stderr } = await run(folder, args, env);
    if (code !== 0) throw new Error(`trawl ${args.join(' ')} ended with ${code}:\n${stderr}`);
    return stdout.trim();
  };
  await succeed(CREATE);
  const key = await succeed(['keys', 'create', '--db', 'world.db', '--quota', '100000']);
  const address = `127.0.0.1:${await findFreePort()}`;
  const twin = start(folder, ['serve', '--db', 'world.db', '--listen', address, '--quiet'], {});
  try {
    await waitFor(`http://${address}/healthz`);
    const service = { TRAWL_API_URL: `http://${address}`, TRAWL_API_KEY: key, TRAWL_DB: 'mine.db' };
    let worldDay = 0;
    for (const day of DAYS) {
      for (; worldDay < day; worldDay += STEP_DAYS)
        await succeed(['world', 'step', '--db', 'world.db', '--days', String(STEP_DAYS), '--seed', '7']);
      const env = { ...service, ...stopClock(noonAfter(day)) };
      // One crawl at a time, so that rows arrive in the same order in every run.
      for (const args of CRAWLS) await succeed([...args, '--concurrency', '1', '--quiet'], env);
    }
  } finally {
    twin.kill();
  }
  const env = { TRAWL_DB: 'mine.db', ...stopClock(noonAfter(DAYS.at(-1)! + 1)) };
  return (args) => run(folder, args, env);
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function waitFor(url: string): Promise<void> {
  for (let tries = 200; tries > 0; tries -= 1) {
    const isUp = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await delay(100);
  }
  throw new Error(`${url} does not answer`);
}
