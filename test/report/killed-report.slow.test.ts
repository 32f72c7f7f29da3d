import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createKnownStore } from '../export/support.ts';
import { runSuccessfully, startCli } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';
import { writeHalfwayReport } from './halfway-report.ts';

const program = resolve(import.meta.dirname, 'stalling-report.ts');

test('a process killed half-way leaves nothing under the final names, and the next report deletes what it has left', async () => {
  const [db, folder] = [createKnownStore(), tempDir()];
  const path = join(folder, 'report.html');
  const child = spawn(process.execPath, ['--import', 'tsx', program, db, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'close');
  const left = readdirSync(folder);
  expect(left).toContain(`report.html.${child.pid}.partial`);
  expect(left.filter((name) => !name.endsWith(`.${child.pid}.partial`))).toEqual([]);

  await runSuccessfully(['report', 'account', 'ada', '-o', path, '--db', db]);
  expect(readdirSync(folder).toSorted()).toEqual(['report.html', 'report.html.meta.json']);
});

test('an interrupt half-way leaves nothing, and an earlier report unchanged', async () => {
  const [db, folder] = [createKnownStore(), tempDir()];
  const write = async (): Promise<void> => {
    const controller = new AbortController();
    const reason = new Error('interrupted');
    const options = { signal: controller.signal, atHalf: () => controller.abort(reason) };
    await expect(writeHalfwayReport(db, join(folder, 'report.html'), options)).rejects.toBe(reason);
  };
  await write();
  expect(readdirSync(folder)).toEqual([]);
  writeFileSync(join(folder, 'report.html'), 'earlier');
  await write();
  expect(readdirSync(folder)).toEqual(['report.html']);
  expect(readFileSync(join(folder, 'report.html'), 'utf8')).toBe('earlier');
});

test('Ctrl-C ends the command with exit code 130, and nothing is written', async () => {
  const folder = tempDir();
  const run = startCli(['report', 'account', 'ada', '-o', join(folder, 'report.html'), '--db', createKnownStore()]);
  run.kill('SIGINT');
  expect(await run.exited).toBe(130);
  expect(readdirSync(folder)).toEqual([]);
});
