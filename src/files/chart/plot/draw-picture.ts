import type { Mark } from '#analysis/queries/chart-spec.ts';
import type { Picture } from '#files/chart/chart-layout.ts';
import { drawBars } from './draw-bars.ts';
import { drawHeatmap } from './draw-heatmap.ts';
import { drawXy } from './draw-xy.ts';
import type { PictureOptions } from './picture.ts';

const PICTURES: Readonly<Record<Mark, (options: PictureOptions) => Picture>> = {
  line: drawXy,
  columns: drawXy,
  points: drawXy,
  bars: drawBars,
  heatmap: drawHeatmap,
};

/** Draws the axes of a chart and all that is between them, with Observable Plot. */
export const drawPicture = (options: PictureOptions): Picture => PICTURES[options.spec.mark](options);
