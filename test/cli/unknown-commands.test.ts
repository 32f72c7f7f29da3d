import { expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';

const HELP = '  Use --help for the arguments and options.\n';

test.each([
  // A default subcommand is no reason to take the word as its argument.
  ['crawls shwo 5', 'shwo', '(Did you mean show?)'],
  ['crawls --limit 5 shwo', 'shwo', '(Did you mean show?)'],
  ['crawls nonsense', 'nonsense', 'Commands: list, show, cancel, resume'],
  ['prune bodys --older-than 1d', 'bodys', '(Did you mean bodies?)'],
  ['query rn mutual-follows', 'rn', '(Did you mean run?)'],
  // Nor is --help.
  ['twin world generate --help', 'generate', 'Commands: create, step'],
  ['crawls shwo --help', 'shwo', '(Did you mean show?)'],
  ['crwal --help', 'crwal', '(Did you mean crawl?)'],
  ['help crwal', 'crwal', '(Did you mean crawl?)'],
  ['twin world help crate', 'crate', '(Did you mean create?)'],
])('trawl %s names the nearest command', async (words, word, hint) => {
  expect(await runCli(words.split(' '))).toEqual({
    code: 2,
    stdout: '',
    stderr: `trawl: unknown command '${word}'\n  ${hint}\n${HELP}`,
  });
});

test('a word that nothing is like is refused without a suggestion', async () => {
  for (const words of [['nonsense'], ['nonsense', '--help'], ['help', 'nonsense']])
    expect(await runCli(words)).toEqual({ code: 2, stdout: '', stderr: `trawl: unknown command 'nonsense'\n${HELP}` });
});

test.each(['--help', 'help', 'crawls --help', 'crawls help', 'crawls list --help', 'help crawls', 'query moon --help'])(
  'trawl %s prints a help',
  async (words) => {
    const { code, stdout, stderr } = await runCli(words.split(' '));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: trawl/);
  },
);

test('too many arguments of a named command are no unknown command', async () => {
  for (const [words, name] of [
    ['crawls list nonsense', 'list'],
    ['status nonsense', 'status'],
  ] as const)
    expect((await runCli(words.split(' '))).stderr).toBe(
      `trawl: too many arguments for '${name}'. Expected 0 arguments but got 1.\n${HELP}`,
    );
});
