import { completeSpec } from '#files/chart/data/complete-spec.ts';
import { drawChart } from '#files/chart/draw-chart.ts';
import type { ResultSet } from '#files/export/result-set.ts';
import { convertRows } from './format-values.ts';
import type { FormatOptions, Sink } from './output-format.ts';
import { reportRows } from './text-format.ts';

/** Draws the rows as a chart, and returns their number. @throws UsageError if they do not fit the chart, TrawlError if there are none */
export async function writeChart(
  result: ResultSet,
  sink: Sink,
  { chart = {}, chartWidth }: FormatOptions = {},
): Promise<number> {
  let count = 0;
  const rows = reportRows(convertRows(result), (read) => (count = read));
  const { data, spec } = completeSpec({ columns: result.columns.map(({ name }) => name), rows }, chart);
  await sink.write(await drawChart(data, spec, { width: chartWidth }));
  return count;
}
