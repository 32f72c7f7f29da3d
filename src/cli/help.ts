import type { OutputConfiguration } from 'commander';
import { addDatabaseOption } from './shared/command-hints.ts';
import { wrapProse } from './terminal/wrap.ts';

/** How commands speak: help that fits, and errors in trawl's own voice. */
export const helpOutput: OutputConfiguration = {
  writeOut: (text) => void process.stdout.write(wrapProse(text)),
  // The help after a mistake; a mistake itself is a line of its own.
  writeErr: (text) => void process.stderr.write(wrapProse(text)),
  outputError: (text) =>
    void process.stderr.write(
      addDatabaseOption(
        text
          .replace(/^error: /, 'trawl: ')
          .replace("command-argument value '", "'")
          .replace(/\n\(Did you mean/, '\n  (Did you mean'),
      ),
    ),
};
