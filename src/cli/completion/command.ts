import { Argument, Command } from 'commander';
import { loadAction } from '../context.ts';

/** The shells that have a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const INSTALL: Readonly<Record<Shell, string>> = {
  bash: `  echo 'source <(trawl completion bash)' >> ~/.bashrc`,
  zsh: `  echo 'source <(trawl completion zsh)' >> ~/.zshrc      (after compinit)`,
  fish: '  trawl completion fish > ~/.config/fish/completions/trawl.fish',
};

export function completionCommand(): Command {
  const command = new Command('completion')
    .summary('print a script that completes commands in your shell')
    .description(
      'Prints a script for your shell. It completes commands, options, kinds, choices, files, saved queries, and handles and panels ' +
        'from the database of --db or TRAWL_DB. trawl must be on the PATH.',
    )
    .addHelpText('after', `\nExamples:\n${SHELLS.map((shell) => INSTALL[shell]).join('\n')}`);
  for (const shell of SHELLS) command.addCommand(scriptCommand(shell));
  return command.addCommand(suggestCommand(), { hidden: true });
}

const scriptCommand = (shell: Shell): Command =>
  new Command(shell)
    .summary(`print the script for ${shell}`)
    .description(`Prints the script for ${shell}. To install it:\n\n${INSTALL[shell]}`)
    .action(loadAction(async () => printScript(shell)));

const printScript = async (shell: Shell): Promise<() => Promise<void>> => {
  const { printCompletionScript } = await import('./run.ts');
  return async () => printCompletionScript(shell);
};

/** The command that the scripts call. */
const suggestCommand = (): Command =>
  new Command('suggest')
    .description('Prints suggestions for the last word of a command line. The completion scripts call this command.')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .argument('[word...]', 'the words after the name of the program, up to the cursor')
    .action(loadAction(async () => (await import('./run.ts')).printSuggestions));
