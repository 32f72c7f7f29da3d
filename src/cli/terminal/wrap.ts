import { Help } from 'commander';

/** Prose for a terminal of 80 columns. */

const WIDTH = 80;
const help = new Help();

/** Stands for a blank where no line may end. */
const HELD = '\u0001';

/** Wraps one paragraph. A command in backticks stays in one piece, so that it can be copied. */
function wrap(paragraph: string, width: number): string {
  const held = paragraph.replaceAll(/`[^`]+`/g, (command) => command.replaceAll(' ', HELD));
  return help.boxWrap(held, width).replaceAll(HELD, ' ');
}

/** Lines that begin at the margin are prose, and flow together by paragraph. What is indented stays as it is. */
export const wrapProse = (text: string): string =>
  text.replaceAll(/^\S.*(?:\n\S.*)*/gmu, (paragraph) => wrap(paragraph.replaceAll('\n', ' '), WIDTH));

/** Each line by itself, what is too long goes on below; all of it indented by two. */
export const wrapIndented = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line.startsWith(' ') ? line : wrap(line, WIDTH - 2)))
    .join('\n')
    .replaceAll(/^(?=.)/gm, '  ');
