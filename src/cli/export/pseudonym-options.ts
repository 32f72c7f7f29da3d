import { type Command, Option } from 'commander';
import { UsageError } from '#base/errors.ts';
import { resolvePath } from '#cli/context.ts';

export interface PseudonymOptions {
  readonly pseudonymise?: true;
  readonly keyFile?: string;
  readonly keepText?: true;
}

const GROUP = 'Pseudonyms:';

/** Adds the options of `PseudonymOptions`. */
export function addPseudonymOptions<C extends Command>(command: C): C {
  const options = [
    new Option('--pseudonymise', 'replace ids and handles by keyed hashes; leave out names, texts and addresses'),
    new Option(
      '--key-file <file>',
      'the key of the hashes, which is created if it is missing (trawl/pseudonym.key in your configuration folder)',
    ).argParser(resolvePath),
    new Option(
      '--keep-text',
      'keep texts, with pseudonyms for mentions and without addresses: a search finds their authors',
    ),
  ];
  for (const option of options) command.addOption(option.helpGroup(GROUP));
  return command;
}

/** Lets a command whose output names people say so, instead of an unknown option. */
export function refusePseudonyms<C extends Command>(command: C, what: string): C {
  command.addOption(new Option('--pseudonymise').hideHelp());
  return command.on('option:pseudonymise', () => {
    throw new UsageError(`${what}: it has no form with pseudonyms`, {
      command: {
        name: 'export',
        args: 'dataset -o <folder> --pseudonymise',
        result: 'writes all tables with pseudonyms',
      },
    });
  });
}
