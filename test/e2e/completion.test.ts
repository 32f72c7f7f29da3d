import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runProcess } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

/** Completion in the shells themselves. */

const bin = resolve(import.meta.dirname, '../../bin/trawl.js');

/** A folder with a database, with `trawl` on the PATH. */
async function setUp() {
  const cwd = tempDir();
  const path = join(cwd, 'path');
  mkdirSync(path);
  writeFileSync(join(path, 'trawl'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
  chmodSync(join(path, 'trawl'), 0o755);
  expect(await runProcess(['world', 'create', '--users', '60', '--seed', '7', '--db', 'w.db'], { cwd })).toMatchObject({
    code: 0,
  });
  writeFileSync(join(cwd, 'two words.txt'), '');
  // oxlint-disable-next-line node/no-process-env -- the shells are on the PATH
  const env = { PATH: `${path}${delimiter}${process.env['PATH']}`, TRAWL_DB: 'w.db', HOME: cwd };
  return (shell: string, script: string) =>
    spawnSync(shell, shell === 'bash' ? ['--norc', '-c', script] : ['-c', script], { cwd, env, encoding: 'utf8' });
}

/** The words as Bash splits them, and the expected suggestions. */
const LINES: readonly [words: string, suggestions: string[]][] = [
  ['trawl cr', ['crawl', 'crawls']],
  ['trawl crawl fo', ['followers', 'following']],
  ['trawl crawl followers Har', ['HarbourNews']],
  ['trawl crawl followers @ har', ['HarbourNews']],
  ['trawl sql --format = c', ['csv']],
  ['trawl crawl timeline --from-file two', ['two words.txt']],
  ['trawl crawl timeline --from-file = two', ['two words.txt']],
  ['trawl work --jobs pa', ['path']],
];

test('bash completes commands, kinds, choices, handles and files', async () => {
  const run = await setUp();
  const complete = `source <(trawl completion bash)
complete -p trawl
complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _trawl; printf '%s|' "\${COMPREPLY[@]}"; echo; }
`;
  const calls = LINES.map(([words]) => `complete_line ${words}`).join('\n');
  const { stdout, stderr, status } = run('bash', `set -u\n${complete}${calls}`);
  expect(stderr).toBe('');
  expect(stdout.split('\n')).toEqual([
    'complete -F _trawl trawl',
    ...LINES.map(([, suggestions]) => suggestions.map((word) => `${word}|`).join('')),
    '',
  ]);
  expect(status).toBe(0);
}, 60_000);

test('zsh completes commands', async () => {
  const run = await setUp();
  // Outside of a completion, the functions that add suggestions are not there: those of the script are called instead.
  const { stdout, stderr } = run(
    'zsh',
    `compdef() { :; }; compset() { :; }; _files() { echo files; }
_describe() { print -l -- "\${(@P)2}"; }
source <(trawl completion zsh)
words=(trawl crawl followers Har) CURRENT=4; _trawl
words=(trawl sql --format=c) CURRENT=3; _trawl
words=(trawl status --db '') CURRENT=4; _trawl`,
  );
  expect(stderr).toBe('');
  expect(stdout.split('\n')).toEqual(['HarbourNews:', '--format=csv:', 'files', '']);
});

test('fish completes commands', async () => {
  const run = await setUp();
  const { stdout, stderr } = run(
    'fish',
    `trawl completion fish | source
complete -C 'trawl crawl followers Har'
complete -C 'trawl sql --format=c'
complete -C 'trawl crawl timeline --from-file two'`,
  );
  expect(stderr).toBe('');
  expect(stdout.split('\n').map((line) => line.split('\t')[0])).toEqual([
    'HarbourNews',
    '--format=csv',
    'two words.txt',
    '',
  ]);
});
