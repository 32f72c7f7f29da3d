import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failure, runCli, startCli } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';

describe('trawl twin world create', () => {
  it('creates a world and prints accounts and commands to start with', async () => {
    const file = tempFile('world.db');
    const { code, stdout } = await runCli(['twin world create --users 60 --seed 7 --db', file]);
    expect(code).toBe(0);
    expect(stdout).toContain(`World 7 in ${file}: 60 users`);
    expect(stdout).toContain('most followed  HarbourNews (');
    expect(stdout).toContain(`trawl twin keys create --db ${file}\n  trawl twin serve --db ${file}\n`);
    expect(existsSync(file)).toBe(true);
  });

  it('prints one JSON document with --json, and nothing else with --quiet', async () => {
    const args = ['twin', 'world', 'create', '--users', '60', '--db', tempFile('world.db'), '--json', '--quiet'];
    const { code, stdout, stderr } = await runCli(args);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ users: 60, mostFollowed: [{ screenName: 'HarbourNews' }, {}, {}] });
  });

  it('never uses the file of TRAWL_DB; a file has to be named', async () => {
    const file = tempFile('mine.db');
    const result = await runCli('twin world create', { env: { TRAWL_DB: file } });
    expect(result).toMatchObject(failure(2, "required option '--db <file>'"));
    expect(existsSync(file)).toBe(false);
  });

  it('refuses a store that already has a world and does not change it', async () => {
    const file = tempFile('world.db');
    await runCli(['twin world create --users 2 --db', file]);
    const { code, stderr } = await runCli(['twin world create --users 2 --db', file]);
    expect(code).toBe(1);
    expect(stderr).toContain('the database already holds users, tweets or follows');
    expect(stderr).toContain('give a new file with --db');
    expect(existsSync(file)).toBe(true);
  });

  it('leaves nothing behind when it is stopped', async () => {
    const file = tempFile('world.db');
    const run = startCli(['twin world create --users 100000 --db', file]);
    await run.waitForLine(/^generating a world of 100,000 users/);
    run.kill('SIGINT');
    expect(await run.exited).toBe(130);
    expect(readdirSync(dirname(file))).toEqual([]);
  });
});

describe('trawl twin world step', () => {
  const createFile = async (): Promise<string> => {
    const file = tempFile('world.db');
    await runCli(['twin world create --users 60 --seed 7 --db', file, '--quiet']);
    return file;
  };

  it('advances a world and prints the changes', async () => {
    const file = await createFile();
    const { code, stdout, stderr } = await runCli(['twin world step --db', file, '--days', '30', '--seed', '2']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`${file}: 30 days by seed 2, from 2026-01-01 to 2026-01-31\n`);
    expect(stdout).toMatch(/^ {2}tweets +36\n[^]*^ {2}unfollows +54$/m);
  });

  it('prints all changes with --json, and starts where the last step ended', async () => {
    const file = await createFile();
    const step = async () => JSON.parse((await runCli(['twin world step --db', file, '--json'])).stdout) as unknown;
    expect(await step()).toMatchObject({ days: 1, seed: 1, to: '2026-01-02T00:00:00.000Z', changes: { edits: {} } });
    expect(await step()).toMatchObject({ from: '2026-01-02T00:00:00.000Z', to: '2026-01-03T00:00:00.000Z' });
  });

  it('creates no file, and leaves databases with crawls as they are', async () => {
    const file = tempFile('none.db');
    expect(await runCli(['twin world step --db', file])).toMatchObject(failure(1, `there is no database ${file}`));
    expect(existsSync(file)).toBe(false);
    await runCli(['enqueue profile nasa --db', file]);
    const refused = await runCli(['twin world step --db', file]);
    expect(refused).toMatchObject(failure(1, 'the database holds crawls: it is not a world'));
  });
});
