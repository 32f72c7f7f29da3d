import type { OutputConfiguration } from 'commander';
import { sameDatabase } from './same-database.ts';
import { wrapProse } from './wrap.ts';

/** How commands speak: help that fits, and errors in trawl's own voice. */
export const output: OutputConfiguration = {
  writeOut: (text) => void process.stdout.write(wrapProse(text)),
  outputError: (text, write) =>
    write(sameDatabase(text.replace(/^error: /, 'trawl: ').replace(/\n\(Did you mean/, '\n  (Did you mean'))),
};
