import type { ChartData, ChartSpec } from '../../analysis/queries/chart-spec.ts';
import { createCanvas, type DrawOptions, formatChart } from './chart-layout.ts';
import { readPoints } from './data/read-points.ts';
import { describeChart } from './describe-chart.ts';

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
