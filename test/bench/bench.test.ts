import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { tempDir } from '../support/temp.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs the command as its script does, on the build of these tests. */
const bench = async (
  words: readonly string[],
  env?: Record<string, string>,
): Promise<{ code: number; stdout: string; stderr: string }> =>
  await new Promise((resolve) => {
    const command = ['--import', 'tsx', 'bench/main.ts', ...words];
    const child = execFile(process.execPath, command, { cwd: root, env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });

it('the benchmark prints one document of figures and exits by their verdict', async () => {
  const { code, stdout, stderr } = await bench(['--only', 'bullmq', '--quick', '--json']);
  const { figures } = JSON.parse(stdout) as { figures: readonly Record<string, unknown>[] };
  expect(figures, stderr).toMatchObject([
    { name: 'bullmq-commands', value: expect.any(Number), bar: 1, want: 0.2, holds: expect.any(Boolean) },
  ]);
  expect(figures[0]!['holds']).toBe((figures[0]!['value'] as number) <= 1);
  expect(code).toBe(figures[0]!['holds'] === true ? 0 : 1);
});

it('the benchmark lists its scenes', async () => {
  const { code, stdout } = await bench(['--help']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/Scenes: .*pace-32-0ms.*growth.*peers.*long-run \(only by name\)/);
});

it('the benchmark names every figure that it did not measure, with the reason', async () => {
  const options = ['--only', 'quota', '--only', 'page-cpu', '--quick', '--json'];
  const { code, stdout, stderr } = await bench(options, { PATH: tempDir() });
  const { figures, missing } = JSON.parse(stdout) as {
    figures: unknown[];
    missing: { name: string; reason: string }[];
  };
  expect(missing.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
    'page-cpu: it compares two builds; name the other one with --against',
    'quota-refused: it needs redis-server, which is not installed',
    'quota-spent: it needs redis-server, which is not installed',
  ]);
  for (const { name, reason } of missing)
    expect(stderr).toMatch(new RegExp(`^not measured: ${name} \\(.+\\): ${reason}$`, 'm'));
  expect({ code, figures }).toEqual({ code: 0, figures: [] });
});

it('the benchmark refuses to compare with a bundle that is older than its sources', async () => {
  const old = tempDir();
  mkdirSync(join(old, 'src'));
  writeFileSync(join(old, 'src/changed.ts'), '');
  const { code, stderr } = await bench(['--only', 'page-cpu', '--quick', '--against', old]);
  expect(code).toBe(1);
  expect(stderr).toContain(`the bundle of ${old} is older than its sources: run npm run build there`);
});
