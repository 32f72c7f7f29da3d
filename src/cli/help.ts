import type { OutputConfiguration } from 'commander';
import { addDatabaseOption } from './shared/command-hints.ts';
import { wrapProse } from './terminal/wrap.ts';

/** Formats help texts and usage errors. */
export const helpOutput: OutputConfiguration = {
  writeOut: (text) => void process.stdout.write(wrapProse(text)),
  // The help after a usage error.
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
