import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { buildChildEnvironment, readConfig } from '#config.ts';
import { followedBy, gate, peopleOf, serve, withWorld } from '../e2e/support.ts';
import { runCli, runProcess, startCli, failure } from '../support/cli.ts';
import { tempDir, tempFile } from '../support/temp.ts';

const world = withWorld(60, 7);
const bin = resolve(import.meta.dirname, '../../bin/trawl.js');

test.each(['…', '...', 'trawl_...', '<API_KEY>', 'YOUR_API_KEY'])('the placeholder %s is reported as one', (key) => {
  expect(() => readConfig({ TRAWL_API_KEY: key })).toThrow(
    'TRAWL_API_KEY should be your key: this is the placeholder of the documentation',
  );
});

test('enqueue of an empty file creates nothing, says so and exits with 2', async () => {
  const cwd = tempDir();
  const file = join(cwd, 'targets.txt');
  writeFileSync(file, '# nobody yet\n\n');
  const { code, stdout, stderr } = await runCli(['enqueue profile --from-file', file], { cwd });
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr:
      `trawl: ${file} has no target: nothing was queued\n` +
      '  One target per line; lines that begin with "# " are comments.\n',
  });
  expect(existsSync(join(cwd, 'trawl.db'))).toBe(false);
  expect(await runProcess('enqueue profile --from-file -', { cwd, stdin: '' })).toMatchObject(
    failure(2, 'standard input has no target'),
  );
});

test('enqueue of a statement without rows creates nothing and is no error', async () => {
  const db = tempFile('mine.db');
  await runCli(['enqueue profile nasa --db', db]);
  const result = await runCli(['enqueue profile --db', db, '--from-sql', 'select rest_id from users']);
  expect(result).toEqual({ code: 0, stdout: '', stderr: 'the statement returned no target: nothing was queued\n' });
});

test('enqueue -q prints its crawls and nothing else', async () => {
  const { code, stdout, stderr } = await runCli(['enqueue profile nasa -q --db', tempFile('mine.db')]);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'crawl 1: profile nasa\n', stderr: '' });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s while a command is loading is reported, with exit code %i', async (signal, code) => {
  // Loads the command line, and never finishes.
  const hooks = join(tempDir(), 'hooks.mjs');
  writeFileSync(
    hooks,
    `import { register } from 'node:module';
     const load = "export async function load(url, context, next) { if (url.endsWith('/main.js')) { " +
       "process._rawDebug('loading'); await new Promise((r) => setTimeout(r, 60000)); } return next(url, context); }";
     register('data:text/javascript,' + encodeURIComponent(load));`,
  );
  const child = spawn(process.execPath, ['--import', pathToFileURL(hooks).href, bin, 'crawl', 'profile', 'nasa'], {
    cwd: tempDir(),
    env: buildChildEnvironment(),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'close');
  const lines: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    lines.push(line);
    if (line === 'loading') child.kill(signal);
  }
  expect(await exited).toEqual([code, null]);
  expect(lines.at(-1)).toBe('interrupted before start: nothing was done');
});

test('a signal ends a read-only command even while it is busy', async () => {
  const db = tempFile('mine.db');
  await runCli(['enqueue profile nasa --db', db]);
  const endless =
    'with recursive n(i) as (select 1 union all select i + 1 from n) select 0 as i union all select i from n';
  const child = spawn(process.execPath, [bin, 'sql', '--db', db, '--format', 'csv', endless], {
    cwd: tempDir(),
    env: buildChildEnvironment(),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'readable');
  const exited = once(child, 'exit');
  child.kill('SIGINT');
  expect(await exited).toEqual([null, 'SIGINT']);
});

test('every line of the log of work is JSON', async () => {
  const started = gate();
  const service = await serve(world, { pageSize: 3, onAsked: ({ n }) => void (n === 3 && started.open()) });
  const env = { ...service.env, TRAWL_DB: tempFile('mine.db') };
  const { handle } = followedBy(world, 30);
  await runCli(['enqueue followers', handle], { env });
  const jobs = tempDir();
  writeFileSync(join(jobs, 'daily.yaml'), `kind: profile\nevery: 1d\ntargets: [${peopleOf(world, 1)[0]!.handle}]\n`);
  const worker = startCli(['work --jobs', jobs], { env });
  await started.opened;
  worker.kill('SIGTERM');
  expect(await worker.exited).toBe(0);
  const messages = worker.lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  expect(messages).toEqual(expect.arrayContaining(['working', 'schedule', expect.stringMatching(/^stopping after /)]));

  const refused = await runCli('work', { env: { ...env, TRAWL_API_KEY: 'wrong' } });
  const last = JSON.parse(refused.stderr.trimEnd().split('\n').at(-1)!) as unknown;
  expect({ code: refused.code, last }).toMatchObject({
    code: 78,
    last: {
      level: 60,
      msg: 'the service refused the API key (401)',
      hint: 'Check TRAWL_API_KEY.',
    },
  });
});

test('status counts runs of `trawl crawl` and workers', async () => {
  const [started, go] = [gate(), gate()];
  onTestFinished(go.open);
  const service = await serve(world, {
    async onAsked() {
      started.open();
      await go.opened;
    },
  });
  const env = { ...service.env, TRAWL_DB: tempFile('mine.db') };
  const child = startCli(['crawl followers', followedBy(world, 5).handle], { env });
  await started.opened;
  expect((await runCli('status', { env })).stdout).toMatch(/no worker is running, 1 `trawl crawl` run\n/);
  expect(JSON.parse((await runCli('status --json', { env })).stdout)).toMatchObject({
    workers: { runs: 1, workers: 0 },
  });
  go.open();
  await child.exited;
  expect((await runCli('status --json', { env })).stdout).not.toContain('"runs": 1');
});
