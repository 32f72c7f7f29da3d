import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { PACKAGE_ROOT } from '#base/package-root.ts';
import { buildProgram, forEachCommand } from '#cli/program.ts';
import { runCli } from '../support/cli.ts';

const { files } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { files: readonly string[] };

const wordsOf = (command: Command): string[] => (command.parent ? [...wordsOf(command.parent), command.name()] : []);

const commands: string[][] = [];
forEachCommand(buildProgram(), (command) => commands.push(wordsOf(command)));

/** Whether the package contains a file: an entry of `files` is its path, a folder above it, or a pattern of names. */
const isPacked = (path: string): boolean =>
  files.some((entry) => {
    const pattern = entry.split('*').map((part) => part.replaceAll('.', String.raw`\.`));
    return new RegExp(`^${pattern.join('[^/]*')}(/|$)`).test(path);
  });

/** The pages of the documentation that a text names, with what precedes them. */
const pagesIn = (text: string): string[] => text.match(/[^\s(`]*docs\/[\w/-]+\.md/g) ?? [];

test('every page that a help names is in the package, and named by its path', async () => {
  const named = new Set<string>();
  for (const words of commands) {
    const { stdout } = await runCli([...words, '--help']);
    for (const page of pagesIn(stdout)) named.add(page);
  }
  expect(named.size).toBeGreaterThan(8);
  for (const page of named) {
    const path = relative(PACKAGE_ROOT, page);
    expect(page).toBe(join(PACKAGE_ROOT, path));
    expect(existsSync(page), page).toBe(true);
    expect(isPacked(path), page).toBe(true);
  }
});
