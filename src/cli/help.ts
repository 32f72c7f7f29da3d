import type { OutputConfiguration } from 'commander';
import { getContext } from './context.ts';
import { wrapProse } from './terminal/wrap.ts';

/** Formats help texts and usage errors. */
export const helpOutput: OutputConfiguration = {
  writeOut: (text) => void getContext().streams.stdout.write(wrapProse(text)),
  // The help after a usage error.
  writeErr: (text) => void getContext().streams.stderr.write(wrapProse(text)),
  outputError: (text) =>
    void getContext().streams.stderr.write(
      text
        .replace(/^error: /, 'trawl: ')
        .replace("command-argument value '", "'")
        .replace(/\n\(Did you mean/, '\n  (Did you mean'),
    ),
};
