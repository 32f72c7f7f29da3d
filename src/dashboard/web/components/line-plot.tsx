import { formatFigure, formatUtc } from '#dashboard/web/format-numbers.ts';

/** A line over time, or a horizontal one at a value that matters. */
export interface PlotLine {
  readonly label: string;
  /** The name of a custom property of the style sheet. */
  readonly color: string;
  /** One value for each time; a null breaks the line. */
  readonly values: readonly (number | null)[] | number;
}

const [WIDTH, HEIGHT] = [600, 180];

/** Draws lines over time, from 0 to the largest value, with a legend. */
export function LinePlot(props: {
  /** What it shows, in a sentence. */
  readonly description: string;
  /** In milliseconds UTC, ascending. */
  readonly times: readonly number[];
  readonly lines: readonly PlotLine[];
}) {
  const { description, times, lines } = props;
  const [from, to] = [times[0]!, times.at(-1)!];
  const max = Math.max(1, ...lines.flatMap(({ values }) => values).map((value) => value ?? 0));
  const toPoint = (at: number, value: number): string =>
    `${((at - from) / Math.max(1, to - from)) * WIDTH} ${HEIGHT * (1 - value / max)}`;
  const toPath = ({ values }: PlotLine): string =>
    times
      .map((at, i) => {
        const [value, before] =
          typeof values === 'number' ? [values, i || null] : [values[i] ?? null, values[i - 1] ?? null];
        return value === null ? '' : `${before === null ? 'M' : 'L'}${toPoint(at, value)}`;
      })
      .join('');
  return (
    <div class="plot">
      <span class="muted">{formatFigure(max)}</span>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={description}>
        {lines.map((line) => (
          <path
            key={line.label}
            d={toPath(line)}
            style={{ stroke: `var(--${line.color})`, strokeDasharray: typeof line.values === 'number' ? '6 5' : '' }}
          />
        ))}
      </svg>
      <p class="plot-times muted">
        <span>{formatUtc(from).slice(5, -4)}</span>
        <span>{formatUtc(to).slice(5)}</span>
      </p>
      <ul class="row">
        {lines.map(({ label, color }) => (
          <li key={label}>
            <i class="dot" style={{ background: `var(--${color})` }} /> {label}
          </li>
        ))}
      </ul>
    </div>
  );
}
