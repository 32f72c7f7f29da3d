import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatFigure } from '../format.ts';
import { type PlotMark, type PlotProps, toPlotData } from './plot.tsx';
import { readColor } from './read-color.ts';

/** Steps of the axis of values: whole numbers. */
const STEPS = Array.from({ length: 10 }, (_, i) => [1, 2, 5].map((n) => n * 10 ** i)).flat();

/** The least space of a tick on the axis of time, in pixels. */
const TICK_SPACE = 70;

/** Draws a plot into an element. @param read the present properties, which may change with the data */
export function drawPlot(element: HTMLElement, read: () => PlotProps): uPlot {
  const { lines, height } = read();
  const axis = {
    stroke: readColor(element, 'muted'),
    grid: { stroke: readColor(element, 'chart-grid'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  const options: uPlot.Options = {
    width: element.clientWidth,
    height,
    padding: [10, 18, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1e3), 'Etc/UTC'),
    scales: {
      x: { range: () => [read().from / 1e3, read().to / 1e3] },
      y: { range: (_, min, max) => chooseRange(read(), min, max) },
    },
    axes: [
      {
        ...axis,
        space: TICK_SPACE,
        size: 28,
        ...(lines.some(({ isBars }) => isBars) ? { splits: ({ width }) => chooseTicks(read().times, width) } : {}),
        values: (_, ticks) => formatTicks(ticks),
      },
      {
        ...axis,
        size: 44,
        incrs: STEPS,
        values: (_, ticks) => ticks.map(formatFigure),
      },
    ],
    series: [
      {},
      ...lines.map(({ label, color, hasPoints = false, isBars = false }): uPlot.Series => {
        const stroke = readColor(element, color);
        if (isBars)
          return {
            label,
            width: 0,
            fill: stroke,
            points: { show: false },
            paths: drawBars,
          };
        const isFilled = read().isFromZero ?? true;
        return {
          label,
          stroke,
          width: 2,
          points: {
            show: hasPoints,
            size: 5,
            fill: stroke,
          },
          ...(isFilled ? { fill: `color-mix(in srgb, ${stroke} 14%, transparent)` } : {}),
        };
      }),
    ],
    hooks: { draw: [(plot) => (read().marks ?? []).forEach((mark) => drawMark(plot, element, mark))] },
  };
  return new uPlot(options, toPlotData(read()), element);
}

/** Columns of two thirds of their place, at most 40 pixels wide. */
const drawBars = uPlot.paths.bars!({ size: [2 / 3, 40] });

/** From 0 or the least value to the largest value or mark; without 0, with a tenth of the range around the values. */
function chooseRange(
  { isFromZero = true, max: top, marks = [] }: PlotProps,
  min: number,
  max: number,
): [number, number] {
  if (isFromZero) return [Math.min(0, min), Math.max(min < 0 ? 0 : 1, top ?? max, ...marks.map(({ value }) => value))];
  const margin = Math.max(1, (max - min) / 10);
  return [Math.max(0, Math.floor(min - margin)), Math.ceil(max + margin)];
}

/** The times of columns in seconds, as many as have space. */
function chooseTicks(times: readonly number[], width: number): number[] {
  const step = Math.ceil(times.length / Math.max(1, Math.floor(width / TICK_SPACE)));
  return times.filter((_, i) => i % step === 0).map((at) => at / 1000);
}

/** Ticks within a second have one label. */
function formatTicks(ticks: readonly number[]): string[] {
  const labels = ticks.map((tick) => formatTick(tick, (ticks[1] ?? tick) - ticks[0]!));
  return labels.map((label, i) => (label === labels[i - 1] ? '' : label));
}

/** A tick as a time of day, with seconds if ticks are close; as a day, or as a month, if they are far apart. */
function formatTick(seconds: number, step: number): string {
  const text = new Date(seconds * 1000).toISOString();
  if (step >= 28 * 24 * 60 * 60) return text.slice(0, 7);
  if (step >= 24 * 60 * 60) return text.slice(5, 10);
  return text.slice(11, step > 0 && step < 60 ? 19 : 16);
}

function drawMark(plot: uPlot, element: HTMLElement, { label, color, value }: PlotMark): void {
  const { ctx, bbox } = plot;
  const y = Math.round(plot.valToPos(value, 'y', true));
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = readColor(element, color);
  ctx.lineWidth = ratio;
  ctx.setLineDash([4 * ratio, 4 * ratio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.font = `${12 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = 'left';
  // Above the line, or below it at the top of the plot.
  const hasRoom = y - bbox.top > 18 * ratio;
  ctx.textBaseline = hasRoom ? 'bottom' : 'top';
  ctx.fillText(label, bbox.left + 4 * ratio, y + (hasRoom ? -3 : 4) * ratio);
  ctx.restore();
}
