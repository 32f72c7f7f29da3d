import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runCli } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';
import { contentsOf } from './digest.ts';
import { someWeeks } from './some-weeks.ts';

it('trawl rebuild prints a summary', async () => {
  const { path } = await someWeeks();
  const before = contentsOf(path);
  const { code, stdout, stderr } = await runCli(['rebuild', '--db', path, '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ db: path, pages: before['raw_pages']!.length });
  expect(contentsOf(path)).toEqual(before);
});

it('trawl rebuild lists missing pages and exits with 1; with --keep-rows it reprocesses the others', async () => {
  const { path } = await someWeeks({ keepRaw: false });
  const refused = await runCli(['rebuild', '--db', path]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/followers +nasa +1 +20/);
  expect(refused.stderr).toContain('nothing was changed');
  expect(refused.stderr).toContain('--keep-rows');
  const { missing } = JSON.parse((await runCli(['rebuild', '--db', path, '--json'])).stdout) as { missing: object[] };
  expect(missing).toContainEqual(expect.objectContaining({ kind: 'followers', target: 'nasa', pages: 1 }));
  const kept = await runCli(['rebuild', '--db', path, '--keep-rows']);
  expect({ ...kept, stdout: kept.stdout.replace(/in \d.*?,/, '') }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('0 pages read again'),
  });
});

it('trawl rebuild creates no store', async () => {
  const path = tempFile('none.db');
  expect((await runCli(['rebuild', '--db', path])).stderr).toContain('there is no database');
  expect(existsSync(path)).toBe(false);
});
