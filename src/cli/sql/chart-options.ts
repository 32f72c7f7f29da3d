import { type Command, Option } from 'commander';
import { MARKS, type Mark, type BinPeriod, PERIODS } from '#analysis/queries/chart-spec.ts';
import type { ChartOptions } from '#analysis/queries/chart-spec.ts';
import { UsageError } from '#base/errors.ts';
import { FORMATS, formatOf } from '#files/export/formats/formats.ts';

/** What a chart shows. */
export interface ChartCommandOptions {
  readonly mark?: Mark;
  readonly x?: string;
  readonly y?: readonly string[];
  readonly series?: string;
  readonly value?: string;
  readonly period?: BinPeriod;
  readonly partial?: string;
  readonly title?: string;
  readonly subtitle?: string;
  readonly xLabel?: string;
  readonly yLabel?: string;
}

const GROUP = 'Charts (-o chart.svg):';

const createOptions = (): Option[] => [
  new Option('--mark <mark>', 'the form of the chart').choices(MARKS),
  new Option('--x <column>', 'the column along the chart (the first)'),
  new Option('--y <columns>', 'the columns of numbers, separated by commas (all)').argParser((text) => text.split(',')),
  new Option('--series <column>', 'a line or colour per value of this column'),
  new Option('--value <column>', 'the numbers of a heatmap, whose rows of cells are --y'),
  new Option('--period <period>', 'the width of the bins that start at --x').choices(PERIODS),
  new Option('--partial <column>', '1 for bins that were observed in part (is_partial)'),
  new Option('--title <text>', 'the title'),
  new Option('--subtitle <text>', 'the subtitle'),
  new Option('--x-label <text>', 'the label of the horizontal axis, with its unit'),
  new Option('--y-label <text>', 'the label of the vertical axis, with its unit'),
];

/** Adds the options of `ChartCommandOptions`. */
export function addChartOptions<C extends Command>(command: C): C {
  for (const option of createOptions()) command.addOption(option.helpGroup(GROUP));
  return command;
}

/** Returns what a user says about a chart. @throws UsageError if it is said of a file that is none */
export function readChartOptions(options: ChartCommandOptions, format: string): ChartOptions {
  const first = createOptions().find((option) => Object.hasOwn(options, option.attributeName()));
  if (first && formatOf(format) !== FORMATS.svg) {
    throw new UsageError(`${first.long} belongs to a chart`, { hint: 'Name a file with -o, such as -o chart.svg.' });
  }
  const { mark, x, y, series, value, period, partial, title, subtitle, xLabel, yLabel } = options;
  return { mark, x, y, series, value, period, partial, title, subtitle, xLabel, yLabel };
}
