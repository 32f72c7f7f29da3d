import { getContext } from '#cli/context.ts';

/** What begins and ends an emphasised text. */
export interface Emphasis {
  readonly open: string;
  readonly close: string;
}

export const BOLD: Emphasis = { open: '\u001B[1m', close: '\u001B[22m' };
/** As in Markdown. */
const MARKERS: Emphasis = { open: '**', close: '**' };

/** Whether stdout is a terminal that shows styles, and NO_COLOR is not set. */
export function hasStyles(): boolean {
  const { env, streams } = getContext();
  return streams.stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** Bold on a terminal; markers where there are no styles. */
export const getEmphasis = (): Emphasis => (hasStyles() ? BOLD : MARKERS);
