import { formatDocument } from '../../base/units.ts';
import { getContext } from '../context.ts';

/** Prints a line of the result to stdout. */
export const print = (text: string): void => void getContext().streams.stdout.write(`${text}\n`);

/** Prints the document of `--json` to stdout. */
export const printJson = (document: object): void => print(formatDocument(document, 2));

/** Prints a line of progress or a note to stderr. */
export const printNote = (text: string): void => void getContext().streams.stderr.write(`${text}\n`);
