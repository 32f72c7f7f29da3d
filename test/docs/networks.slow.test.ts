import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runSuccessfully } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

/** The commands and the recipes of docs/networks.md, on a world. */

const page = readFileSync(resolve(import.meta.dirname, '../../docs/networks.md'), 'utf8');
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(([, text]) => text!);

async function exportAll(): Promise<string> {
  const cwd = tempDir();
  const env = { TRAWL_DB: 'world.db' };
  await runSuccessfully(['twin', 'world', 'create', '--users', '200', '--seed', '4', '--db', 'world.db'], { cwd });
  const commands = blocks('sh').flatMap((text) => text.trim().split('\n'));
  expect(commands).toHaveLength(3);
  for (const command of commands) await runSuccessfully(command.split(' ').slice(2), { cwd, env });
  return cwd;
}

describe('networkx', () => {
  test('runs the recipes', async () => {
    const cwd = await exportAll();
    const recipes = blocks('python');
    expect(recipes).toHaveLength(2);
    for (const recipe of recipes) {
      const { status, stdout, stderr } = spawnSync('/usr/bin/python3', ['-c', recipe], { cwd, encoding: 'utf8' });
      expect(status, stderr).toBe(0);
      expect(stdout.trim().split('\n').length).toBeGreaterThanOrEqual(10);
    }
    expect(readFileSync(join(cwd, 'mentions.csv'), 'utf8')).toMatch(/^Source,Target,Type,Weight,first_at,last_at\n/);
  });
});
