import { SECOND } from '../../clock.ts';
import { getContext } from '../context.ts';
import { printNote } from '../shared/common-options.ts';

/** A line that is redrawn in place on a terminal, and printed every 5 s elsewhere. */
export interface ProgressLine extends Disposable {
  show(line: string): void;
}

/** Prints a note on a line of its own. On a terminal it replaces the progress line, which is redrawn below. */
export const printAboveProgress = (text: string): void =>
  printNote(getContext().streams.stderr.isTTY ? `\r\u001B[2K${text}` : text);

const REDRAW_MS = 150;
const PRINT_MS = 5 * SECOND;

export function createProgressLine(options: { quiet: boolean; now: () => number }): ProgressLine {
  const { quiet, now } = options;
  const { stderr } = getContext().streams;
  let last = '';
  let shownAt = quiet ? Number.POSITIVE_INFINITY : now() - REDRAW_MS;
  return {
    show(line) {
      if (line === last || now() - shownAt < (stderr.isTTY ? REDRAW_MS : PRINT_MS)) return;
      last = line;
      shownAt = now();
      stderr.write(stderr.isTTY ? `\r\u001B[2K${fitParts(line, (stderr.columns ?? 80) - 1)}` : `${line}\n`);
    },
    [Symbol.dispose]() {
      if (stderr.isTTY && last !== '') stderr.write('\r\u001B[2K');
    },
  };
}

/** As many whole parts as fit: a truncated number would be wrong. */
function fitParts(line: string, width: number): string {
  let shown = line;
  while (shown.length > width && shown.includes(' · ')) shown = shown.slice(0, shown.lastIndexOf(' · '));
  return shown.slice(0, width);
}
