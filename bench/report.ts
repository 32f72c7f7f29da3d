import type { Figure } from './figures.ts';
import type { Spread } from './interleave.ts';
import { short } from './scene.ts';

/** Results as people and programs read them. */

export interface Judged extends Figure {
  /** The median of the rounds, the least and the most. */
  readonly value: number;
  readonly least: number;
  readonly most: number;
  /** True also where there is no bar, or where the run is too short to be held against it. */
  readonly holds: boolean;
  readonly indicative: boolean;
}

export function judge(figure: Figure, { median: value, least, most }: Spread, indicative: boolean): Judged {
  const { bar, direction } = figure;
  const reached = bar === null || (direction === 'at least' ? value >= bar : value <= bar);
  return { ...figure, value, least, most, holds: reached || indicative, indicative };
}

const HEAD = ['figure', 'value', 'least to most', 'bar', 'want', 'holds'] as const;

function cells({ title, unit, direction, value, least, most, bar, want, holds, indicative }: Judged): string[] {
  const measure = (number: number): string => `${short(number)}${unit === undefined ? '' : ` ${unit}`}`;
  const limit = (number: number | null): string =>
    number === null ? '' : `${direction === 'at least' ? '≥' : '≤'} ${measure(number)}`;
  const verdict = bar === null ? '' : indicative ? 'too short to say' : holds ? 'yes' : 'NO';
  return [title, measure(value), `${short(least)} to ${short(most)}`, limit(bar), limit(want), verdict];
}

/** A table for a terminal. */
export function table(judged: readonly Judged[]): string {
  const rows = [[...HEAD], ...judged.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export interface Report {
  readonly machine: Readonly<Record<string, string | number>>;
  readonly command: string;
  readonly quick: boolean;
  readonly judged: readonly Judged[];
  readonly notes: Readonly<Record<string, Spread>>;
  readonly missing: readonly string[];
}

/** One document, as `--json` prints it. */
export const json = ({ judged, machine, ...rest }: Report): string =>
  JSON.stringify({ machine, figures: judged, ...rest }, null, 2);

const MARK = '<!-- written by hand from here on; kept by the command -->';

/** RESULTS.md: the table of figures. Keeps the hand-written text below the mark. The other measurements are in `--json`. */
export function markdown(report: Report, before: string): string {
  const { machine, command, quick, judged, missing } = report;
  const row = (line: readonly string[]): string => `| ${line.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const byHand = before.includes(MARK) ? before.slice(before.indexOf(MARK)) : `${MARK}\n`;
  return [
    '# Results of the bench',
    '',
    `By \`${command}\`, variants in turn: medians of the rounds, with the least and the most.`,
    ...(quick ? ['**A quick run**: fewer pages and rounds than the figures are meant for.'] : []),
    'Ratios within one run count; absolute numbers are those of this machine at that time.',
    '',
    ...Object.entries(machine).map(([name, value]) => `- ${name}: ${value}`),
    '',
    row(HEAD),
    row(HEAD.map(() => '---')),
    ...judged.map((each) => row(cells(each))),
    '',
    ...missing.map((line) => `- ${line}`),
    ...(missing.length > 0 ? [''] : []),
    byHand,
  ].join('\n');
}
