import { execFile } from 'node:child_process';
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
  const { code, stdout, stderr } = await bench(['--only', 'statements', '--quick', '--json']);
  const { figures } = JSON.parse(stdout) as { figures: readonly Record<string, unknown>[] };
  expect(figures, stderr).toMatchObject([
    { name: 'statements', value: expect.any(Number), bar: 1.25, want: 1.1, holds: expect.any(Boolean) },
  ]);
  expect(figures[0]!['holds']).toBe((figures[0]!['value'] as number) <= 1.25);
  expect(code).toBe(figures[0]!['holds'] === true ? 0 : 1);
});

it('the benchmark lists its scenes', async () => {
  const { code, stdout } = await bench(['--help']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/Scenes: .*pace-32-0ms.*growth.*share.*peers/);
});

it('the benchmark skips and names scenes that need a missing redis-server', async () => {
  const { code, stdout, stderr } = await bench(['--only', 'quota', '--quick', '--json'], { PATH: tempDir() });
  expect(stderr).toContain('quota: skipped, it needs redis-server, which is not installed\n');
  expect({ code, figures: (JSON.parse(stdout) as { figures: unknown[] }).figures }).toEqual({ code: 0, figures: [] });
});
