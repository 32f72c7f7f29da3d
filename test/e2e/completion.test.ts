import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../support/temp.ts';

/** Completion in the shells themselves, with `trawl` on the PATH. */

const bin = resolve(import.meta.dirname, '../../bin/trawl.js');

function runShell(shell: string, script: string): string[] {
  const cwd = tempDir();
  const path = join(cwd, 'path');
  mkdirSync(path);
  writeFileSync(join(path, 'trawl'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
  chmodSync(join(path, 'trawl'), 0o755);
  writeFileSync(join(cwd, 'two words.txt'), '');
  // oxlint-disable-next-line node/no-process-env -- the shells are on the PATH
  const env = { PATH: `${path}${delimiter}${process.env['PATH']}`, HOME: cwd };
  const options = shell === 'bash' ? ['--norc', '-c'] : ['-c'];
  const { stdout, stderr } = spawnSync(shell, [...options, script], { cwd, env, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n');
}

test('bash completes commands, kinds and choices, and leaves paths to itself', () => {
  const lines = ['trawl cr', 'trawl crawl fo', 'trawl sql --format c', 'trawl crawl timeline --from-file two'];
  const stdout = runShell(
    'bash',
    `set -u
source <(trawl completion bash)
complete -p trawl
complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _trawl; echo "\${COMPREPLY[*]-}"; }
${lines.map((words) => `complete_line ${words}`).join('\n')}`,
  );
  expect(stdout).toEqual(['complete -o default -F _trawl trawl', 'crawl crawls', 'followers following', 'csv', '', '']);
}, 60_000);

test('zsh completes commands, or paths', () => {
  // Outside of a completion, the functions that add suggestions are not there: those of the script are called instead.
  const stdout = runShell(
    'zsh',
    `compdef() { :; }; _files() { echo files; }
_describe() { print -l -- "\${(@P)2}"; }
source <(trawl completion zsh)
words=(trawl crawl fol) CURRENT=3; _trawl
words=(trawl status --db '') CURRENT=4; _trawl`,
  );
  expect(stdout).toEqual([expect.stringMatching(/^followers:/), expect.stringMatching(/^following:/), 'files', '']);
});

test('fish completes commands, or paths', () => {
  const stdout = runShell(
    'fish',
    `trawl completion fish | source
complete -C 'trawl crawl fol'
complete -C 'trawl crawl timeline --from-file two'`,
  );
  expect(stdout.map((line) => line.split('\t')[0])).toEqual(['followers', 'following', 'two words.txt', '']);
});
