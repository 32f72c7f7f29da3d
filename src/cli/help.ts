import type { OutputConfiguration } from 'commander';
import { getContext } from './context.ts';
import { wrapProse } from './terminal/wrap.ts';

const RENAMED_OPTIONS: Readonly<Record<string, string>> = {
  '--class': '--priority',
  '--full': '--full-refresh',
  '--no-verify': '--no-recheck',
  '--drain': '--exit-when-idle',
  '--host': '--listen <host:port>',
  '--port': '--listen <host:port>',
};

/** Replaces the suggestion for an unknown option that was renamed. */
const suggestRenamed = (text: string): string =>
  text.replace(/^(error: unknown option '(--[a-z-]+)[^']*')[^]*$/, (all, message: string, option: string) => {
    const name = RENAMED_OPTIONS[option];
    return name === undefined ? all : `${message}\n  ${option} was renamed to ${name}\n`;
  });

/** Formats help texts and usage errors. */
export const helpOutput: OutputConfiguration = {
  writeOut: (text) => void getContext().streams.stdout.write(wrapProse(text)),
  // The help after a usage error.
  writeErr: (text) => void getContext().streams.stderr.write(wrapProse(text)),
  outputError: (text) =>
    void getContext().streams.stderr.write(
      suggestRenamed(text)
        .replace(/^error: /, 'trawl: ')
        .replace("command-argument value '", "'")
        .replace(/\n\(Did you mean/, '\n  (Did you mean'),
    ),
};
