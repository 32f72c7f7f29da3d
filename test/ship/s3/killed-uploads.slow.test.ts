import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { buildChildEnvironment } from '../../../src/config.ts';
import { openStore } from '../../../src/store/store.ts';
import { runSuccessfully } from '../../support/cli.ts';
import { tempFile } from '../../support/temp.ts';
import { countFacts } from '../count-facts.ts';
import { addLake, storePages } from '../shipped-store.ts';
import { downloadLake, type S3Server, startS3Server } from './s3-server.ts';

/** Ships in a process of its own, which is killed before an operation. */
async function ship(path: string, { env }: S3Server, killedAt?: number) {
  const script = join(import.meta.dirname, '../killed-shipping.ts');
  const args = ['--import=tsx', script, path, ...(killedAt === undefined ? [] : [String(killedAt)])];
  const child = spawn(process.execPath, args, { env: { ...buildChildEnvironment(), ...env } });
  const [stdout, stderr, [, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
  ]);
  return { stdout, stderr, signal };
}

async function addPages(path: string): Promise<void> {
  await using store = openStore(path);
  await storePages(store, '3', 400);
}

test('after a kill at any request, nothing is lost and nothing is twice', async () => {
  const server = await startS3Server();
  const { env } = server;
  let lakes = 0;

  /** A store that has shipped its snapshot to a lake of its own, and has pages after it. */
  async function prepare(): Promise<{ path: string; lake: string }> {
    const [path, lake] = [tempFile('mine.db'), `s3://lake/${(lakes += 1)}`];
    await using store = openStore(path);
    addLake(path, lake);
    await storePages(store, '1', 100);
    await runSuccessfully(['ship', 'run', '--once', '--db', path], { env });
    await storePages(store, '1', 300);
    await storePages(store, '2', 200);
    return { path, lake };
  }
  const whole = await prepare();
  const { stdout, stderr } = await ship(whole.path, server);
  await addPages(whole.path);
  await runSuccessfully(['ship', 'run', '--once', '--db', whole.path], { env });
  const operations = (JSON.parse(stdout) as string[]).length;
  // The reads at the start, the list of uploads, a file of most tables, the record, and statements.
  expect(operations, stderr).toBeGreaterThan(10);
  const expected = await countFacts(await downloadLake(whole.lake, env));

  // From the last one on, since all files are uploaded before it.
  for (let point = operations; point > 2; point -= 2) {
    const { path, lake } = await prepare();
    const killed = await ship(path, server, point);
    expect([point, killed.signal, killed.stderr]).toEqual([point, 'SIGKILL', '']);
    // The files of the next run have other names: those of the killed one are not overwritten.
    await addPages(path);
    await runSuccessfully(['ship', 'run', '--once', '--db', path], { env });
    expect(await countFacts(await downloadLake(lake, env)), `after a kill at operation ${point}`).toEqual(expected);
  }
}, 300_000);
