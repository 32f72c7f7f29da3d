import { expect, test } from 'vitest';
import { buildProgram, forEachCommand } from '#cli/program.ts';
import { runCli } from '../support/cli.ts';
import { createStoreFile } from '../support/store-file.ts';

/** Commands with an action, but for those that print a script of a shell. */
function listCommands(): { name: string; flags: string[] }[] {
  const found: { name: string; flags: string[] }[] = [];
  forEachCommand(buildProgram(), (command) => {
    const isGroup = command.commands.length > 0;
    if (isGroup || command.parent?.name() === 'completion') return;
    found.push({
      name: `${command.parent?.name()} ${command.name()}`,
      flags: command.options.map(({ flags }) => flags),
    });
  });
  return found;
}

test('every command can be quiet', () => {
  const commands = listCommands();
  expect(commands.length).toBeGreaterThan(50);
  expect(commands.filter(({ flags }) => !flags.includes('-q, --quiet'))).toEqual([]);
});

test.each(['crawls list', 'rejects', 'find coffee', 'panel list', 'schedule list', 'lake status', 'quota --by kind'])(
  'a quiet %s prints no note, and an error all the same',
  async (command) => {
    const db = createStoreFile();
    const { stderr } = await runCli([command, '--db', db]);
    expect(stderr).not.toBe('');
    expect(await runCli([command, '--db', db, '-q'])).toMatchObject({ stderr: '' });
    expect((await runCli([command, '--db', `${db}.none`, '-q'])).stderr).toContain('trawl: ');
  },
);
