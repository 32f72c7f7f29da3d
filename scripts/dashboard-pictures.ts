import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { run } from '../src/cli/run.ts';
import { createLog } from '../src/log.ts';
import { openDatabase } from '../src/store/sqlite/database.ts';
import { startTwin } from '../src/twin/http/start.ts';
import { createKey } from '../src/twin/quota/keys.ts';
import { openPage } from '../test/dashboard/open-page.ts';
import { observeWorld, runCommand } from '../test/report/observed-world.ts';
import { startBrowser } from '../test/support/browser.ts';

/**
 * `npm run docs:dashboard [folder]`: crawls a synthetic world, lets a worker run until its quota is low, and takes pictures of
 * the pages of its dashboard: for docs/operating/dashboard.md, or into a folder in all themes and widths.
 */

const DOCS = resolve(import.meta.dirname, '../docs/pictures');
const WIDTHS = [390, 820, 1440] as const;
const THEMES = ['light', 'dark'] as const;

/** The pages: name, address, and what is on the screen when they are ready. */
const PAGES: readonly (readonly [name: string, path: string, ready: string])[] = [
  ['overview', '/', '.plot canvas, .figures'],
  ['crawls', '/crawls', 'main h1'],
];
/** Those of the documentation. */
const DOCUMENTED = [['overview', 'light'] as const];

const folder = mkdtempSync(join(tmpdir(), 'trawl-dashboard-'));
const stopped = new AbortController();
try {
  const { db } = await observeWorld({ folder, users: 2500, weeks: 2 });
  const file = join(folder, 'world.db');
  const [key, ...handles] = prepareWorld(file);
  await using twin = await startTwin({ file, log: createLog({ level: 'silent' }), latencyMs: 500 });
  const env = { TRAWL_API_URL: twin.url, TRAWL_API_KEY: key!, TRAWL_DB: db };
  const enqueue = async (...args: string[]): Promise<void> => {
    const { code, stderr } = await runCommand(['enqueue', ...args, '--yes'], env, folder);
    if (code !== 0) throw new Error(stderr);
  };
  await enqueue('followers', ...handles, '--priority', 'backfill');
  await enqueue('timeline', ...handles.slice(0, 6), 'no_such_account');
  const address = await startWorker(env);
  // Until some crawls have ended, and others run.
  await wait(22_000);
  await enqueue('replies', ...handles.slice(0, 3));
  await wait(2000);
  await takePictures(address, process.argv[2]);
} finally {
  stopped.abort();
  rmSync(folder, { recursive: true, force: true });
}

/** Creates a key with a small quota. Returns it, and the handles of the accounts with the most followers. */
function prepareWorld(path: string): string[] {
  using world = openDatabase(path);
  const { key } = createKey(world, { name: 'pictures', limit: 400, windowMs: 900_000, now: Date.now() });
  const handles = world.$client
    .prepare<[], string>(
      `select screen_name from users join follows on followee_id = users.id where screen_name not glob '*[^A-Za-z0-9_]*'
       group by users.id order by count(*) desc limit 30`,
    )
    .pluck()
    .all();
  return [key, ...handles];
}

/** Starts a worker with its dashboard in this process. Returns the address that signs in. */
async function startWorker(env: Readonly<Record<string, string>>): Promise<string> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const streams = { stdin: Readable.from(['']), stdout: stdout.resume(), stderr };
  const args = ['work', '--dashboard', '127.0.0.1:0', '--concurrency', '3'];
  void run(args, { env, cwd: folder, streams, signal: stopped.signal });
  for await (const line of createInterface(stderr)) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+/.exec(line) ?? [];
    if (url === undefined) continue;
    stderr.resume();
    return url;
  }
  throw new Error('the worker did not start');
}

async function takePictures(address: string, output: string | undefined): Promise<void> {
  const browser = await startBrowser();
  mkdirSync(output ?? DOCS, { recursive: true });
  for (const [name, path, ready] of PAGES) {
    for (const width of output === undefined ? [1280] : WIDTHS) {
      for (const theme of THEMES) {
        if (output === undefined && !DOCUMENTED.some(([page, shown]) => page === name && shown === theme)) continue;
        await using opened = await openPage(browser, address, { width, theme });
        const { page } = opened;
        await page.goto(new URL(path, address).href);
        await page.setViewportSize({ width, height: 1180 });
        await page.locator(ready).first().waitFor();
        await wait(1000);
        const target =
          output === undefined ? join(DOCS, `dashboard-${name}.png`) : join(output, `${name}-${width}-${theme}.png`);
        await page.screenshot({ path: target, fullPage: output !== undefined });
      }
    }
  }
  await browser.close();
}
