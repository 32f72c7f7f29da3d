import { type Command, Option } from 'commander';
import { type ChartOptions, MARKS, PERIODS } from '#analysis/queries/chart-spec.ts';
import { UsageError } from '#base/errors.ts';
import { FORMATS, formatOf } from '#files/export/formats/formats.ts';

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

/** Adds the options of `ChartOptions`. */
export function addChartOptions<C extends Command>(command: C): C {
  for (const option of createOptions()) command.addOption(option.helpGroup(GROUP));
  return command;
}

/** Returns what a user says about a chart. @throws UsageError if it is said of a file that is none */
export function readChartOptions(options: ChartOptions, format: string): ChartOptions {
  const given = createOptions().filter((option) => Object.hasOwn(options, option.attributeName()));
  const [first] = given;
  if (first && formatOf(format) !== FORMATS.svg) {
    throw new UsageError(`${first.long} belongs to a chart`, { hint: 'Name a file with -o, such as -o chart.svg.' });
  }
  const names = given.map((option) => option.attributeName() as keyof ChartOptions);
  return Object.fromEntries(names.map((name) => [name, options[name]]));
}
