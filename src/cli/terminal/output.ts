import { toIso } from '../../base/units.ts';
import { getContext } from '../context.ts';

/** Prints a line of the result to stdout. */
export const print = (text: string): void => void getContext().streams.stdout.write(`${text}\n`);

const isTime = (name: string, value: unknown): value is number | null | undefined =>
  /(^a|A)t$/.test(name) && (value == null || typeof value === 'number');

/** Formats a document of `--json`. Times in milliseconds, whose names end in `At`, become ISO 8601; unknown ones null. */
export const formatDocument = (document: object, indent = 2): string =>
  JSON.stringify(document, (name, value: unknown) => (isTime(name, value) ? toIso(value) : value), indent);

/** Prints the document of `--json` to stdout. */
export const printJson = (document: object): void => print(formatDocument(document));

/** Prints a line of progress or a note to stderr. */
export const printNote = (text: string): void => void getContext().streams.stderr.write(`${text}\n`);
