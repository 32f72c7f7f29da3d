import type { Writable } from 'node:stream';
import { SECOND, systemClock } from '../../base/clock.ts';
import { getContext } from '../context.ts';
import { printNote } from './output.ts';

/** A line that is redrawn in place on a terminal, and printed every 5 s elsewhere. */
export interface ProgressLine extends Disposable {
  show(line: string): void;
}

/** Erases the progress line of a terminal, by its stream. */
const erasers = new WeakMap<object, () => void>();

/** Prints a note on a line of its own. On a terminal it replaces the progress line, which is redrawn below. */
export function printAboveProgress(text: string): void {
  erasers.get(getContext().streams.stderr)?.();
  printNote(text);
}

interface ProgressOptions {
  readonly quiet?: boolean | undefined;
  readonly now?: () => number;
}

const REDRAW_MS = 150;
const PRINT_MS = 5 * SECOND;

export async function createProgressLine({ quiet, now = systemClock.now }: ProgressOptions): Promise<ProgressLine> {
  const { stderr } = getContext().streams;
  const redraw = stderr.isTTY && !quiet ? await createRedraw(stderr) : undefined;
  if (redraw) erasers.set(stderr, redraw.clear);
  const pauseMs = redraw ? REDRAW_MS : PRINT_MS;
  let last = '';
  let shownAt = quiet ? Number.POSITIVE_INFINITY : now() - REDRAW_MS;
  return {
    show(line) {
      if (line === last || now() - shownAt < pauseMs) return;
      [last, shownAt] = [line, now()];
      if (redraw) redraw(fitParts(line, (stderr.columns ?? 80) - 1));
      else stderr.write(`${line}\n`);
    },
    [Symbol.dispose]() {
      redraw?.clear();
      erasers.delete(stderr);
    },
  };
}

/** Creates a function that draws a text over its last one. It is loaded for terminals only. */
export async function createRedraw(stream: Writable) {
  const { createLogUpdate } = await import('log-update');
  return createLogUpdate(stream, { showCursor: true });
}

/** As many whole parts as fit: a truncated number would be wrong. */
function fitParts(line: string, width: number): string {
  let shown = line;
  while (shown.length > width && shown.includes(' · ')) shown = shown.slice(0, shown.lastIndexOf(' · '));
  return shown.slice(0, width);
}
