import { Help, type OutputConfiguration } from 'commander';

const WIDTH = 80;
const help = new Help();

/** Lines that begin at the margin are prose: wrapped to the width of a terminal. What is indented stays as it is. */
export const wrapProse = (text: string): string =>
  text.replaceAll(/^\S.*(?:\n\S.*)*/gmu, (paragraph) => help.boxWrap(paragraph.replaceAll('\n', ' '), WIDTH));

/** How commands speak: help that fits, and errors in trawl's own voice. */
export const output: OutputConfiguration = {
  writeOut: (text) => void process.stdout.write(wrapProse(text)),
  outputError: (text, write) =>
    write(text.replace(/^error: /, 'trawl: ').replace(/\n\(Did you mean/, '\n  (Did you mean')),
};
