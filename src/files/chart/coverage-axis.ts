import { pluralize } from '#base/text.ts';
import { formatDay } from '#base/units.ts';
import { planTimeAxis, TICK_FONT_SIZE } from './axis.ts';
import { createCanvas, type DrawOptions, formatChart } from './chart-layout.ts';
import { createElement, type SvgElement } from './chart-svg.ts';
import { colorOf } from './chart-theme.ts';
import { type AxisRange, type AxisSegment, CELL_LABELS, type CellState, divideIntoCells } from './coverage-cells.ts';
import { estimateWidth, toLabel } from './label-width.ts';
import { patternOf } from './legend.ts';

/** What is known of a list in chronological order: `OrderedListCoverage` of `analysis/coverage` has this form. */
export interface AxisList {
  readonly axis: AxisRange & {
    /** False if the creation of the account is unknown: then an unknown time lies before the axis. */
    readonly isFromKnown: boolean;
  };
  /** Oldest first, without holes. */
  readonly segments: readonly AxisSegment[];
  /** The name of the list. */
  readonly label: string;
}

interface AxisOptions extends DrawOptions {
  /** The text above the axis; by default, the name of the list. */
  readonly heading?: string | undefined;
}

/** The vertical places of dates and bar. */
const [DATES_Y, BAR_Y, BAR_HEIGHT] = [12, 20, 28];
const BAR_END = BAR_Y + BAR_HEIGHT;
const [TICK_LENGTH, LINE_HEIGHT, TICK_WIDTH] = [5, 15, 76];
/** The width of the time before an unknown creation, which has no scale. */
const OPEN_WIDTH = 34;

/**
 * Draws the time axis of a list as SVG, at its true scale to a pixel: complete times, gaps and unknown times. A pixel with
 * both complete times and others is partly complete.
 */
export function drawCoverageAxis(list: AxisList, { heading, ...options }: AxisOptions = {}): string {
  const { axis } = list;
  const canvas = createCanvas(options, list);
  const isOpen = !axis.isFromKnown && list.segments[0]?.state !== 'complete';
  const left = isOpen ? OPEN_WIDTH : 0;
  // An open past stands for a gap without length at its end.
  const segments = isOpen ? list.segments.filter(({ to }) => to > axis.from) : list.segments;
  const cells = divideIntoCells(axis, segments, Math.floor(canvas.inner - left));
  const right = left + cells.length;
  const used = new Set<CellState>([...cells, ...(isOpen ? (['unknown'] as const) : [])]);
  const ticks = drawTicks(axis, left, right);
  const picture = {
    height: ticks.bottom,
    left,
    right,
    keys: CELL_LABELS.flatMap(([state, label]) =>
      used.has(state) ? [{ label, fills: [fillOf(canvas.id, state)] }] : [],
    ),
    children: [
      ...drawDates(axis, left, right),
      ...(isOpen ? drawOpenPast(canvas.id) : []),
      ...listRuns(cells).flatMap(({ state, from, to }) => drawRun(canvas.id, state, left + from, to - from)),
      ...ticks.children,
    ],
  };
  const texts = {
    title: toLabel(heading ?? list.label),
    below: '',
    above: '',
    name: `Coverage: ${toLabel(list.label)}`,
    description: describeAxis(list),
  };
  return formatChart(picture, texts, canvas);
}

/** The number of periods that a description lists. */
const DESCRIBED = 12;

/** Describes an axis for people who do not see it. */
function describeAxis({ axis, segments }: AxisList): string {
  const start = axis.isFromKnown ? 'the creation of the account' : 'the oldest known time';
  const parts = segments
    .slice(0, DESCRIBED)
    .map(({ from, to, state }) => `${state} from ${formatDay(from)} to ${formatDay(to)}`);
  const more = segments.length > DESCRIBED ? [pluralize(segments.length - DESCRIBED, 'more period')] : [];
  const whole = `From ${start} on ${formatDay(axis.from)} to the last check on ${formatDay(axis.to)}`;
  return `${whole}: ${[...parts, ...more].join(', ')}.`;
}

/** The ends of the axis, above the bar. */
function drawDates({ from, to, isFromKnown }: AxisList['axis'], left: number, right: number): SvgElement[] {
  const [start, end] = [formatDay(from), `last check ${formatDay(to)}`];
  const space = right - left - estimateWidth(`${end}  `, TICK_FONT_SIZE);
  const texts = isFromKnown ? [`created ${start}`] : [`creation unknown, since ${start}`, `since ${start}`];
  const first = texts.find((text) => estimateWidth(text, TICK_FONT_SIZE) <= space) ?? start;
  const attributes = { y: DATES_Y, fill: colorOf('muted') };
  return [
    createElement('text', { x: left, ...attributes, 'text-anchor': 'start' }, first),
    createElement('text', { x: right, ...attributes, 'text-anchor': 'end' }, end),
  ];
}

/** The unknown time before the axis: it has no scale, so that it stands apart. */
function drawOpenPast(id: string): SvgElement[] {
  const box = { y: BAR_Y, width: OPEN_WIDTH - 8, height: BAR_HEIGHT };
  const text = {
    x: box.width / 2,
    y: BAR_Y + BAR_HEIGHT / 2,
    dy: '0.35em',
    'font-weight': 600,
    fill: colorOf('ink'),
    stroke: colorOf('background'),
    'stroke-width': 4,
    'paint-order': 'stroke',
  };
  return [
    createElement('rect', { ...box, fill: fillOf(id, 'unknown') }),
    createElement('rect', { ...box, fill: 'none', stroke: colorOf('unknown'), 'stroke-dasharray': '3 3' }),
    createElement('text', text, '?'),
  ];
}

interface Run {
  readonly state: CellState;
  readonly from: number;
  readonly to: number;
}

/** Joins equal neighbours. */
function listRuns(cells: readonly CellState[]): Run[] {
  const runs: Run[] = [];
  for (const [at, state] of cells.entries()) {
    const last = runs.at(-1);
    if (last?.state === state) runs[runs.length - 1] = { ...last, to: at + 1 };
    else runs.push({ state, from: at, to: at + 1 });
  }
  return runs;
}

const fillOf = (id: string, state: Exclude<CellState, 'outside'>): string =>
  state === 'complete' ? colorOf('complete') : patternOf(id, state);

/** Complete times are a solid bar; others differ from it, and from each other, in colour, texture and height. */
function drawRun(id: string, state: CellState, x: number, width: number): SvgElement[] {
  if (state === 'outside') return [];
  const isHigh = state === 'complete' || state === 'partly';
  const [y, height] = isHigh ? [BAR_Y, BAR_HEIGHT] : [BAR_Y + BAR_HEIGHT / 4, BAR_HEIGHT / 2];
  return [createElement('rect', { x, y, width, height, fill: fillOf(id, state), 'data-state': state })];
}

/** The line below the bar with the years, months or days. */
function drawTicks(axis: AxisRange, left: number, right: number): { bottom: number; children: SvgElement[] } {
  const tickCount = Math.max(2, (right - left) / TICK_WIDTH);
  const { domain, ticks } = planTimeAxis({ min: axis.from, max: axis.to, tickCount });
  const [low, high] = domain;
  const place = (at: number): number => left + ((at - low) / (high - low)) * (right - left);
  const line = { y1: BAR_END, stroke: colorOf('axis') };
  const lines = Math.max(...ticks.map(({ label }) => label.split('\n').length));
  const children = [
    createElement('line', { x1: left, x2: right, y2: BAR_END, ...line }),
    ...ticks.flatMap(({ at, label }) => [
      createElement('line', { x1: place(at), x2: place(at), y2: BAR_END + TICK_LENGTH, ...line }),
      ...label.split('\n').map((text, i) => {
        const y = BAR_END + TICK_LENGTH + LINE_HEIGHT * (i + 1) - 3;
        return createElement('text', { x: clampLabel(place(at), text, right), y, fill: colorOf('muted') }, text);
      }),
    ]),
  ];
  return { bottom: BAR_END + TICK_LENGTH + lines * LINE_HEIGHT, children };
}

/** Keeps a label within the picture. */
function clampLabel(x: number, text: string, right: number): number {
  const half = estimateWidth(text, TICK_FONT_SIZE) / 2;
  return Math.min(Math.max(x, half), right - half);
}
