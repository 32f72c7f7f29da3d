import { type Command, Option } from 'commander';
import { FORMATS } from '../../export/formats/formats.ts';
import { resolvePath } from '../context.ts';
import { addPseudonymOptions, type PseudonymOptions } from '../export/pseudonym-options.ts';
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

/** Adds the options of `OutputOptions`. */
export const addOutputOptions = (command: Command): Command =>
  addPseudonymOptions(command)
    .addOption(
      new Option('-f, --format <format>', 'output format (table; of a file: by its extension)').choices(
        Object.keys(FORMATS),
      ),
    )
    .addOption(new Option('--json', 'same as --format json').conflicts('format'))
    .addOption(
      new Option('-o, --output <file>', 'write a file, and its origin to <file>.meta.json').argParser(resolvePath),
    )
    .addOption(new Option('--timeout <duration>', 'stop the statement after this time').argParser(parseTimeout))
    .addOption(new Option('--memory <size>', 'stop the statement if it needs more memory').argParser(parseMemory));
