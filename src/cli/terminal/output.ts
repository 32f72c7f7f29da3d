import type { Writable } from 'node:stream';
import { SECOND, systemClock } from '#base/clock.ts';
import { formatDocument } from '#base/units.ts';
import { getContext } from '#cli/context.ts';

/** Prints a line of the result to stdout. */
export const print = (text: string): void => void getContext().streams.stdout.write(`${text}\n`);

/** Prints the document of `--json` to stdout. */
export const printJson = (document: object): void => print(formatDocument(document, 2));

/** Prints a warning, an error or an address that is served to stderr, also if the command is quiet. */
export const printMessage = (text: string): void => void getContext().streams.stderr.write(`${text}\n`);

/** Prints a note to stderr, unless the command is quiet. */
export const printNote = (text: string): void => void (getContext().isQuiet || printMessage(text));

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
  readonly isHidden?: boolean | undefined;
  readonly now?: () => number;
}

const REDRAW_MS = 150;
const PRINT_MS = 5 * SECOND;

/** @param isHidden it is not shown; by default, that of a quiet command */
export async function createProgressLine({
  isHidden = getContext().isQuiet,
  now = systemClock.now,
}: ProgressOptions = {}): Promise<ProgressLine> {
  const { stderr } = getContext().streams;
  const redraw = stderr.isTTY && !isHidden ? await createRedraw(stderr) : undefined;
  if (redraw) erasers.set(stderr, redraw.clear);
  const pauseMs = redraw ? REDRAW_MS : PRINT_MS;
  let last = '';
  let shownAt = isHidden ? Number.POSITIVE_INFINITY : now() - REDRAW_MS;
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

/** A JSON document with one list, `{ "<name>": [ … ] }`, which is streamed to stdout. */
export interface JsonList {
  add(items: readonly object[]): void;
  /** Ends the document. */
  end(): void;
}

export function createJsonList(name: string): JsonList {
  let isEmpty = true;
  const begin = `{\n  ${JSON.stringify(name)}: [`;
  const indented = (item: object): string => formatDocument(item, 2).replaceAll('\n', '\n    ');
  return {
    add(items) {
      if (items.length === 0) return;
      getContext().streams.stdout.write(`${isEmpty ? begin : ','}\n    ${items.map(indented).join(',\n    ')}`);
      isEmpty = false;
    },
    end: () => print(isEmpty ? `${begin}]\n}` : '\n  ]\n}'),
  };
}
