import { CliCommand } from '#cli/shared/cli-command.ts';

/** How the script of each shell is installed. */
const INSTALL = {
  bash: `echo 'source <(trawl completion bash)' >> ~/.bashrc`,
  zsh: `echo 'source <(trawl completion zsh)' >> ~/.zshrc      (after compinit)`,
  fish: 'trawl completion fish > ~/.config/fish/completions/trawl.fish',
};

const SHELLS = Object.keys(INSTALL) as (keyof typeof INSTALL)[];

export function completionCommand(): CliCommand {
  const command = new CliCommand('completion')
    .summary('print a script that completes commands in your shell')
    .description(
      'Prints a script for your shell. It completes commands, options, kinds, choices, files, saved queries and panels. ' +
        'trawl must be on the PATH.',
    )
    .explains(`Examples:\n${SHELLS.map((shell) => `  ${INSTALL[shell]}`).join('\n')}`);
  for (const shell of SHELLS)
    command.addCommand(
      new CliCommand(shell)
        .description(`Prints the script for ${shell}.`)
        .runs(async () => (await import('./completion-scripts.ts')).printScript.bind(undefined, shell)),
    );
  return command.addCommand(
    new CliCommand('suggest')
      .description('Prints suggestions for the last word of a command line. The scripts call this command.')
      .argument('[word...]', 'the words after the name of the program, up to the cursor')
      .runs(async () => (await import('./suggest.ts')).printSuggestions),
    { hidden: true },
  );
}
