import { type Command, Option } from 'commander';
import { resolvePath } from '#cli/context.ts';
import { addPseudonymOptions, type PseudonymOptions } from '#cli/export/pseudonym-options.ts';
import { quietOption } from '#cli/shared/common-options.ts';
import { FORMATS } from '#files/export/formats/formats.ts';
import { parseMemory, parseTimeout } from './option-parsers.ts';

/** Where the rows of a statement go, and its limits. */
export interface OutputOptions extends PseudonymOptions {
  readonly format?: string;
  readonly json?: true;
  readonly output?: string;
  /** Milliseconds. */
  readonly timeout?: number;
  /** Bytes. */
  readonly memory?: number;
}

export const formatOption = (names: readonly string[] = Object.keys(FORMATS)): Option =>
  new Option('-f, --format <format>', 'output format (table; of a file: by its extension)').choices(names);

export const outputOption = (): Option =>
  new Option('-o, --output <file>', 'write a file, and its origin to <file>.meta.json').argParser(resolvePath);

/** Adds the options of `OutputOptions`. */
export function addOutputOptions<C extends Command>(command: C): C {
  addPseudonymOptions(command);
  return command
    .addOption(formatOption())
    .addOption(new Option('--json', 'same as --format json').conflicts('format'))
    .addOption(outputOption())
    .addOption(quietOption())
    .addOption(new Option('--timeout <duration>', 'stop the statement after this time').argParser(parseTimeout))
    .addOption(new Option('--memory <size>', 'stop the statement if it needs more memory').argParser(parseMemory));
}
