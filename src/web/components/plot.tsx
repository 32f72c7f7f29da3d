import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { colorChanges } from '../app/theme.ts';

/** A line over time. */
export interface PlotLine {
  readonly label: string;
  /** The name of a custom property of the style sheet. */
  readonly color: string;
  /** One value for each time; a null breaks the line. */
  readonly values: readonly (number | null)[];
  /** Whether each value has a point: a value between breaks has no line. */
  readonly hasPoints?: boolean;
  /** Draws columns in place of the line; negative values below 0. */
  readonly isBars?: boolean;
}

/** A horizontal line at a value that matters. */
export interface PlotMark {
  readonly label: string;
  readonly color: string;
  readonly value: number;
}

export interface PlotProps {
  /** What it shows, in a sentence: the drawing itself is not readable. */
  readonly description: string;
  /** In milliseconds UTC. */
  readonly times: readonly number[];
  readonly from: number;
  readonly to: number;
  readonly lines: readonly PlotLine[];
  readonly marks?: readonly PlotMark[];
  /** The top of the axis; by default the largest value. */
  readonly max?: number;
  /** False for an axis of only the values, where small changes of large numbers matter. */
  readonly isFromZero?: boolean;
  readonly height: number;
}

/** Draws lines over time, in UTC. The library is loaded with the first drawing. */
export function Plot(props: PlotProps) {
  const element = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  const plot = useRef<uPlot>(undefined);
  latest.current = props;

  useEffect(() => {
    const box = element.current!;
    let isGone = false;
    const resized = new ResizeObserver(() =>
      plot.current?.setSize({ width: box.clientWidth, height: latest.current.height }),
    );
    let unsubscribe = (): void => undefined;
    void import('./draw-plot.ts').then(({ drawPlot }) => {
      if (isGone) return;
      // At once: a page is printed right after its colours have changed.
      unsubscribe = colorChanges.subscribe(() => {
        plot.current?.destroy();
        plot.current = drawPlot(box, () => latest.current);
      });
      resized.observe(box);
    });
    return () => {
      isGone = true;
      unsubscribe();
      resized.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [props.height, props.lines.length]);

  useEffect(() => {
    plot.current?.setData(toPlotData(props));
  });

  return (
    <div class="plot" ref={element} role="img" aria-label={props.description} style={{ height: `${props.height}px` }} />
  );
}

/** The columns of uPlot, in seconds. */
export const toPlotData = ({ times, lines }: PlotProps): uPlot.AlignedData => [
  times.map((at) => at / 1000),
  ...lines.map(({ values }) => [...values]),
];
