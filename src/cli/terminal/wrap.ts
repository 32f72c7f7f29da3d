import { Help } from 'commander';

const WIDTH = 80;
const help = new Help();

/** Replaces a space at which a line must not end. */
const NO_BREAK = '\u0001';

/** Wraps one paragraph. A command in backticks is not broken, so that it can be copied. */
function wrap(paragraph: string, width: number): string {
  const held = paragraph.replaceAll(/`[^`]+`/g, (command) => command.replaceAll(' ', NO_BREAK));
  return help.boxWrap(held, width).replaceAll(NO_BREAK, ' ');
}

/** Wraps text for 80 columns: joins and wraps unindented lines by paragraph. Indented lines are unchanged. */
export const wrapProse = (text: string): string =>
  text.replaceAll(/^\S.*(?:\n\S.*)*/gmu, (paragraph) => wrap(paragraph.replaceAll('\n', ' '), WIDTH));

/** Wraps each line on its own, and indents all lines by two. */
export const wrapIndented = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line.startsWith(' ') ? line : wrap(line, WIDTH - 2)))
    .join('\n')
    .replaceAll(/^(?=.)/gm, '  ');
