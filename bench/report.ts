import type { Figure } from './figures.ts';
import type { Spread } from './interleave.ts';
import { formatNumber } from './scene.ts';

/** Results as a table, as JSON and as Markdown. */

export interface JudgedFigure extends Figure {
  /** The median of the rounds, the least and the most. */
  readonly value: number;
  readonly least: number;
  readonly most: number;
  /** Also true without a bar, or if the run is too short for a verdict. */
  readonly holds: boolean;
  readonly indicative: boolean;
}

export function judge(figure: Figure, { median: value, least, most }: Spread, indicative: boolean): JudgedFigure {
  const { bar, direction } = figure;
  const reached = bar === null || (direction === 'at least' ? value >= bar : value <= bar);
  return { ...figure, value, least, most, holds: reached || indicative, indicative };
}

const HEAD = ['figure', 'value', 'least to most', 'bar', 'want', 'holds'] as const;

function formatCells({
  title,
  unit,
  direction,
  value,
  least,
  most,
  bar,
  want,
  holds,
  indicative,
}: JudgedFigure): string[] {
  const measure = (number: number): string => `${formatNumber(number)}${unit === undefined ? '' : ` ${unit}`}`;
  const limit = (number: number | null): string =>
    number === null ? '' : `${direction === 'at least' ? '≥' : '≤'} ${measure(number)}`;
  const verdict = bar === null ? '' : indicative ? 'too short to say' : holds ? 'yes' : 'NO';
  return [title, measure(value), `${formatNumber(least)} to ${formatNumber(most)}`, limit(bar), limit(want), verdict];
}

/** A table for a terminal. */
export function formatTable(judgedFigures: readonly JudgedFigure[]): string {
  const rows = [[...HEAD], ...judgedFigures.map(formatCells)];
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
  readonly judgedFigures: readonly JudgedFigure[];
  readonly notes: Readonly<Record<string, Spread>>;
  readonly missing: readonly MissingFigure[];
}

/** A figure that was not measured, and the reason. */
export interface MissingFigure extends Pick<Figure, 'name' | 'title'> {
  readonly reason: string;
}

export const formatMissing = (missing: readonly MissingFigure[]): string[] =>
  missing.map(({ name, title, reason }) => `not measured: ${name} (${title}): ${reason}`);

/** Returns the document of `--json`. */
export const formatJson = ({ judgedFigures, machine, ...rest }: Report): string =>
  JSON.stringify({ machine, figures: judgedFigures, ...rest }, null, 2);

const GENERATED_END = '<!-- written by hand from here on; kept by the command -->';

/** RESULTS.md: the table of figures. Keeps the hand-written text below the mark. The other measurements are in `--json`. */
export function formatMarkdown(report: Report, before: string): string {
  const { machine, command, quick, judgedFigures, missing } = report;
  const row = (line: readonly string[]): string => `| ${line.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const handWritten = before.includes(GENERATED_END)
    ? before.slice(before.indexOf(GENERATED_END))
    : `${GENERATED_END}\n`;
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
    ...judgedFigures.map((figure) => row(formatCells(figure))),
    '',
    ...formatMissing(missing).map((line) => `- ${line}`),
    ...(missing.length > 0 ? [''] : []),
    handWritten,
  ].join('\n');
}
