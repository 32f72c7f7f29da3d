import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runProcess } from '../support/cli.ts';
import { createStoreFile } from '../support/store-file.ts';
import { tempDir } from '../support/temp.ts';

/** Signals and limits of `trawl sql` as processes: nothing keeps running, and no part of a file is left. */

const bin = resolve(import.meta.dirname, '../../bin/trawl.js');
const KEY = 'trawl_secret_key_of_the_service';
const NUMBERS = 'with recursive n(i) as (select 1 union all select i + 1 from n)';
const ENDLESS = `${NUMBERS} select count(*) as marker from n`;

let folder: string;
let db: string;
let path: string;
let command: ChildProcess;
let statementPid: number | undefined;

/** Starts a statement that never ends, as the leader of a process group, and waits until its process has begun the file. */
beforeEach(async () => {
  statementPid = undefined;
  folder = tempDir();
  db = createStoreFile();
  path = join(folder, 'rows.csv');
  command = spawn(process.execPath, [bin, 'sql', '--db', db, ENDLESS, '-o', path], {
    detached: true,
    stdio: 'ignore',
    cwd: tempDir(),
    env: {
      PATH: process.env['PATH'], // oxlint-disable-line node/no-process-env -- the statement starts programs
      TRAWL_API_KEY: KEY,
    },
  });
  statementPid = await vi.waitFor(() => Number(/\.(\d+)\.partial$/.exec(readdirSync(folder)[0]!)![1]), WAIT);
});

afterEach(() => {
  for (const pid of [command.pid, statementPid]) if (pid !== undefined && isRunning(pid)) process.kill(pid, 'SIGKILL');
});

const WAIT = { timeout: 30_000, interval: 20 };

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('during a statement', () => {
  test.each<[what: string, signal: NodeJS.Signals, code: number, of: (pid: number) => number]>([
    ['Ctrl-C, which reaches the process group,', 'SIGINT', 130, (pid) => -pid],
    ['SIGINT to the command alone', 'SIGINT', 130, (pid) => pid],
    ['SIGTERM', 'SIGTERM', 143, (pid) => pid],
    ['a closed terminal', 'SIGHUP', 129, (pid) => -pid],
  ])('%s ends both processes and leaves no file', async (_, signal, code, of) => {
    const exited = once(command, 'exit');
    process.kill(of(command.pid!), signal);
    expect(await exited).toEqual([code, null]);
    expect(isRunning(statementPid!)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a kill of the command ends the process of the statement', async () => {
    const exited = once(command, 'exit');
    command.kill('SIGKILL');
    await exited;
    await vi.waitFor(() => expect(isRunning(statementPid!)).toBe(false), WAIT);
    expect(existsSync(path)).toBe(false);

    // The next command for the same file removes what is left.
    expect(await runProcess(['sql --db', db, 'select 1 as one', '-o', path])).toMatchObject({ code: 0 });
    expect(readdirSync(folder).toSorted()).toEqual(['rows.csv', 'rows.csv.meta.json']);
    expect(readFileSync(path, 'utf8')).toBe('one\n1\n');
  });

  test('a kill of the process of the statement is reported', async () => {
    const exited = once(command, 'exit');
    process.kill(statementPid!, 'SIGKILL');
    expect(await exited).toEqual([1, null]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.runIf(process.platform === 'linux')(
    'its process has neither the key nor the statement where others see it',
    () => {
      const ofProcess = (pid: number, file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');
      expect(ofProcess(command.pid!, 'environ')).toContain(KEY);
      expect(ofProcess(statementPid!, 'environ')).not.toContain('TRAWL');
      expect(ofProcess(statementPid!, 'environ')).toContain('PATH=');
      expect(ofProcess(statementPid!, 'cmdline')).not.toContain('marker');
    },
  );
});
