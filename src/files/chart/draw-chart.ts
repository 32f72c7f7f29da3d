import type { ChartData, ChartSpec, Mark } from '#analysis/queries/chart-spec.ts';
import { formatValue } from './axis.ts';
import { createCanvas, type DrawOptions, formatChart, type ChartTexts } from './chart-layout.ts';
import { formatPlace } from './data/places.ts';
import { readPoints, type PointSet } from './data/read-points.ts';
import { toLabel } from './label-width.ts';

/**
 * Draws a chart as SVG, the same for the same data. Observable Plot is loaded at the first call.
 * @throws UsageError if the data does not fit the chart, TrawlError if there is nothing to draw
 */
export async function drawChart(data: ChartData, spec: ChartSpec, options: DrawOptions = {}): Promise<string> {
  const set = readPoints(data, spec);
  const texts = describeChart(set, spec);
  const canvas = createCanvas(options, [set, spec]);
  const { drawPicture } = await import('./plot/draw-picture.ts');
  const picture = drawPicture({ set, spec, width: canvas.inner, id: canvas.id, valueLabel: texts.valueLabel });
  return formatChart(picture, texts, canvas);
}

const MARK_NAMES: Readonly<Record<Mark, string>> = {
  line: 'Line chart',
  columns: 'Column chart',
  bars: 'Bar chart',
  points: 'Scatter plot',
  heatmap: 'Heatmap',
};

/** Returns the texts of a chart. Without labels, the axes have the names of the columns; times have their period and zone. */
function describeChart(
  set: PointSet,
  spec: ChartSpec,
): ChartTexts & { /** What the shades of a heatmap show. */ readonly valueLabel: string } {
  const timeLabel = `${set.period ?? (spec.x === 'at' ? 'time' : toWords(spec.x))} (UTC)`;
  const xLabel = toLabel(spec.xLabel ?? (set.xKind === 'time' ? timeLabel : toWords(spec.x)));
  const yLabel = toLabel(spec.yLabel ?? toWords(spec.y));
  const [title, subtitle] = [spec.title, spec.subtitle].map((text) => (text === undefined ? undefined : toLabel(text)));
  const valueLabel = toWords(spec.value ?? spec.y);
  const shown =
    spec.mark === 'heatmap' ? `${valueLabel} by ${xLabel} and ${yLabel}` : `${yLabel || 'values'} by ${xLabel}`;
  const [below, above] = spec.mark === 'bars' ? [yLabel, xLabel] : [xLabel, yLabel];
  return {
    title,
    subtitle,
    below,
    above,
    valueLabel,
    name: title ?? `${MARK_NAMES[spec.mark]}: ${shown}`,
    description: `${MARK_NAMES[spec.mark]} of ${shown}${subtitle === undefined ? '' : `; ${subtitle}`}. ${describePoints(set, spec.mark)}`,
  };
}

/** Returns the name of a column as words. */
const toWords = (column: string): string => toLabel(column.replaceAll('_', ' '));

function describePoints(set: PointSet, mark: Mark): string {
  const { points, series } = set;
  const values = points.filter(({ y }) => y !== null);
  const highest = values.reduce((best, point) => (point.y! > best.y! ? point : best));
  const lowest = values.reduce((best, point) => (point.y! < best.y! ? point : best));
  const at = ({ x, series: position }: (typeof points)[number]): string =>
    [formatPlace(set, x), ...(series.length > 1 ? [series[position]!] : [])].join(', ');
  const gaps = points.filter(({ y }) => y === null);
  const unobserved = gaps.filter(({ isPartial }) => isPartial).length;
  const partial = values.filter(({ isPartial }) => isPartial).length;
  return [
    `From ${formatPlace(set, points[0]!.x)} to ${formatPlace(set, points.at(-1)!.x)}.`,
    ...(series.length > 1 ? [`${mark === 'heatmap' ? 'Rows' : 'Series'}: ${series.join(', ')}.`] : []),
    `Lowest ${formatValue(lowest.y!)} (${at(lowest)}), highest ${formatValue(highest.y!)} (${at(highest)}).`,
    ...(unobserved > 0 ? [`Not observed: ${unobserved} of ${points.length} values.`] : []),
    ...(gaps.length > unobserved ? [`No value: ${gaps.length - unobserved} of ${points.length}.`] : []),
    ...(partial > 0 ? [`Observed in part: ${partial} of ${points.length} values.`] : []),
  ].join(' ');
}
