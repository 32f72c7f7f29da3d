import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildProgram, forEachCommand } from '#cli/program.ts';
import { COMMANDS_PAGE, renderCommands } from '../../scripts/command-reference.ts';

/** Every command that the documentation and the help show is one that trawl takes. What they do, other tests show. */

const root = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).flatMap((name) =>
    name.endsWith('.md') ? [`docs/${name}`] : [],
  ),
];

/** The words of each simple command of a shell text; what stands in $( ) is a command of its own. */
function commandsIn(shell: string): string[][] {
  const commands: string[][] = [[]];
  const text = shell.replaceAll(/\\\n\s*/g, ' ');
  for (const [token] of text.matchAll(
    /(?<=^|\s)#.*$|\n|&&|\|\|?|;|&|\$\(|\)|(?:"[^"]*"|'[^']*'|[^\s"'|&;()#]|(?<=\S)#)+/gm,
  )) {
    if (/^(?:\n|&&|\|\|?|;|&|\$\(|\))$/.test(token)) commands.push([]);
    else if (!/^#(?:\s|$)/.test(token) || token.startsWith('"')) commands.at(-1)!.push(token.replaceAll(/["']/g, ''));
  }
  return commands;
}

/** How it is called. */
const NAMES = [['trawl'], ['npx', 'trawl'], ['node', 'bin/trawl.js']];

/** The arguments of those that are trawl's; settings before them and redirections after them are the shell's. */
const ofTrawl = (shell: string): string[][] =>
  commandsIn(shell).flatMap((all) => {
    const words = all.slice(all.findIndex((word) => word !== 'export' && !/^[A-Z_]+=/.test(word)));
    const name = NAMES.find((parts) => parts.every((part, i) => words[i] === part));
    if (!name) return [];
    const args = words.slice(name.length);
    const end = args.findIndex((word) => /^[<>]/.test(word));
    return [end === -1 ? args : args.slice(0, end)];
  });

/** Returns the usage error of a command line; undefined if it is valid. */
async function findUsageError(args: readonly string[]): Promise<string | undefined> {
  const program = buildProgram();
  let output = '';
  forEachCommand(program, (command) => {
    command.configureOutput({
      writeOut: () => undefined,
      writeErr: (text) => (output += text),
      outputError: (text) => (output += text),
    });
    if (command.commands.length === 0 || command.registeredArguments.length > 0) command.action(() => undefined);
  });
  return await program.parseAsync([...args], { from: 'user' }).then(
    () => undefined,
    (error: Error) => `${error.message} ${output}`,
  );
}

async function expectValid(commands: readonly (readonly string[])[]): Promise<void> {
  const wrong = await Promise.all(
    commands.map(async (args) => ((await findUsageError(args)) === undefined ? [] : [args])),
  );
  expect(wrong.flat()).toEqual([]);
}

const BLOCKS = PAGES.flatMap((page) =>
  [...read(page).matchAll(/```sh\n([^]*?)```/g)].map(([, shell]) => ({ page, shell: shell! })),
);

describe('the documentation', () => {
  test.each(PAGES)('%s shows commands that trawl takes', async (page) => {
    const shown = BLOCKS.filter((block) => block.page === page).flatMap(({ shell }) => ofTrawl(shell));
    const inProse = [...read(page).matchAll(/`trawl ([a-z]+)/g)].map(([, name]) => name!);
    await expectValid(shown);
    const names = buildProgram().commands.map((command) => command.name());
    expect(inProse.filter((name) => !names.includes(name))).toEqual([]);
  });

  test('shows them as they are typed in a checkout', () => {
    expect(BLOCKS.filter(({ shell }) => /^\s*trawl /m.test(shell))).toEqual([]);
    expect(BLOCKS.flatMap(({ shell }) => ofTrawl(shell)).length).toBeGreaterThan(30);
  });

  test('README.md has eight commands in its table, and the documentation shows how to use every command', () => {
    const rows = [...read('README.md').matchAll(/^\| `trawl ([a-z]+)/gm)].map(([, name]) => name!);
    const names = buildProgram().commands.map((command) => command.name());
    expect(rows).toHaveLength(8);
    expect(names).toEqual(expect.arrayContaining(rows));
    const written = BLOCKS.filter(({ page }) => !page.endsWith('/commands.md'));
    const shown = new Set(written.flatMap(({ shell }) => ofTrawl(shell)).map(([name]) => name));
    expect(names.filter((name) => !shown.has(name))).toEqual([]);
  });
});

describe('the help', () => {
  test('is docs/reference/commands.md, with its examples (npm run docs:commands)', () => {
    expect(renderCommands()).toBe(readFileSync(COMMANDS_PAGE, 'utf8'));
  });

  test('has 80 columns', () => {
    let help = '';
    forEachCommand(buildProgram(), (command) => {
      command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 80 });
      command.outputHelp();
    });
    // Prose is wrapped as it is written.
    expect(help.match(/^ .{80,}$/gm)).toBeNull();
    expect(help).toContain('trawl crawls show');
  });
});

test.each([
  ['trawl crwal profile nasa', /unknown command/],
  ['npx trawl crawl profile nasa --sicne 2024-01-01', /unknown option/],
  ['export K=$(npx trawl twin world make --db world.db)', /unknown command/],
  ['X=1 node bin/trawl.js work --exit-when-idle=yes && echo "trawl nothing"', /exit-when-idle/],
])('an error is found: %s', async (shell, message) => {
  const found = ofTrawl(shell);
  expect(found).toHaveLength(1);
  expect(await findUsageError(found[0]!)).toMatch(message);
});
