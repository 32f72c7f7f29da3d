import { createHash } from 'node:crypto';
import { planTimeAxis, TICK_FONT_SIZE } from './axis.ts';
import { type AxisRange, type AxisSegment, type CellState, divideIntoCells } from './coverage-cells.ts';
import { createElement, formatSvg, type SvgElement } from './svg.ts';
import { ellipsise, estimateWidth, toLabel } from './text-width.ts';
import { type ChartTheme, colorOf, FONT_FAMILY } from './theme.ts';

/** What is known of a list in order of time: `OrderedListCoverage` of `analysis/coverage` has this form. */
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

interface AxisOptions {
  /** The text above the axis; by default, the name of the list. */
  readonly heading?: string | undefined;
  /** Pixels; 860 by default. */
  readonly width?: number | undefined;
  /** `file` by default. */
  readonly theme?: ChartTheme | undefined;
  /** The start of all ids, for pages with several pictures; by default, a hash of what is drawn. */
  readonly id?: string | undefined;
}

const DEFAULT_WIDTH = 860;
const MIN_WIDTH = 240;
const PADDING = 16;
const TITLE_FONT_SIZE = 14;
/** The vertical places of title, dates, bar, ticks and legend. */
const [TITLE_Y, DATES_Y, BAR_Y, BAR_HEIGHT] = [PADDING + TITLE_FONT_SIZE, 52, 60, 28];
const BAR_END = BAR_Y + BAR_HEIGHT;
const [TICK_LENGTH, LINE_HEIGHT, TICK_WIDTH] = [5, 15, 76];
const LEGEND_GAP = 12;
const [KEY_WIDTH, KEY_HEIGHT, KEY_GAP, KEY_ROW] = [22, 14, 18, 20];
/** The width of the time before an unknown creation, which has no scale. */
const OPEN_WIDTH = 34;

const MEANINGS: readonly (readonly [state: CellState, meaning: string])[] = [
  ['complete', 'complete'],
  ['partly', 'partly complete'],
  ['gap', 'gap'],
  ['searched', 'searched, not complete'],
  ['pruned', 'pruned'],
  ['unknown', 'unknown'],
];

/**
 * Draws the time axis of a list as SVG, at its true scale to a pixel: complete times, gaps and unknown times. A pixel with
 * both complete times and others is partly complete.
 */
export function drawCoverageAxis(list: AxisList, options: AxisOptions = {}): string {
  const { theme = 'file' } = options;
  const width = Math.max(MIN_WIDTH, options.width ?? DEFAULT_WIDTH);
  const id = options.id ?? createId(list, width);
  const { axis } = list;
  const isOpen = hasOpenPast(list);
  const left = PADDING + (isOpen ? OPEN_WIDTH : 0);
  // An open past stands for a gap without length at its end.
  const segments = isOpen ? list.segments.filter(({ to }) => to > axis.from) : list.segments;
  const cells = divideIntoCells(axis, segments, Math.floor(width - PADDING - left));
  const used = new Set<CellState>([...cells, ...(isOpen ? (['unknown'] as const) : [])]);
  const ticks = drawTicks(axis, { left, width: cells.length });
  const legendY = ticks.bottom + LEGEND_GAP;
  const legend = drawLegend(used, width - 2 * PADDING, id);
  const title = toLabel(list.label);
  const heading = toLabel(options.heading ?? list.label);
  const space = width - 2 * PADDING;
  const size = fitFontSize(heading, space);
  return formatSvg({
    id,
    width,
    height: legendY + legend.height + PADDING / 2,
    theme,
    title: `Coverage: ${title}`,
    description: describeAxis(list),
    attributes: {
      'font-family': FONT_FAMILY,
      'font-size': TICK_FONT_SIZE,
    },
    children: [
      definePatterns(id, used),
      createElement(
        'text',
        {
          x: PADDING,
          y: TITLE_Y,
          'font-size': size,
          'font-weight': 600,
          fill: colorOf('ink'),
        },
        ellipsise(heading, space, size),
      ),
      ...drawDates(axis, left, width),
      ...(isOpen ? drawOpenPast(id) : []),
      ...listRuns(cells).map(({ state, from, to }) =>
        drawState(
          state,
          {
            x: left + from,
            width: to - from,
          },
          id,
        ),
      ),
      ...ticks.children,
      createElement('g', { transform: `translate(${PADDING},${legendY})` }, legend.children),
    ],
  });
}

/** The size of a heading that fits, down to that of the ticks. */
const fitFontSize = (heading: string, space: number): number =>
  [TITLE_FONT_SIZE, TITLE_FONT_SIZE - 1].find((size) => estimateWidth(heading, size) <= space) ?? TICK_FONT_SIZE;

/** Whether a time of unknown length lies before the axis, and is not complete. */
const hasOpenPast = ({ axis, segments }: AxisList): boolean => !axis.isFromKnown && segments[0]?.state !== 'complete';

/** The digits that keep the ids of different pictures of a page apart. */
const HASH_LENGTH = 10;

const createId = (list: AxisList, width: number): string =>
  `axis-${createHash('sha256')
    .update(JSON.stringify([list, width]))
    .digest('hex')
    .slice(0, HASH_LENGTH)}`;

const formatDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** The number of periods that a description lists. */
const DESCRIBED = 12;

/** Describes an axis for people who do not see it. */
function describeAxis({ axis, segments }: AxisList): string {
  const start = axis.isFromKnown ? 'the creation of the account' : 'the oldest known time';
  const parts = segments
    .slice(0, DESCRIBED)
    .map(({ from, to, state }) => `${state} from ${formatDay(from)} to ${formatDay(to)}`);
  const more = segments.length > DESCRIBED ? [`${segments.length - DESCRIBED} more periods`] : [];
  const whole = `From ${start} on ${formatDay(axis.from)} to the last check on ${formatDay(axis.to)}`;
  return `${whole}: ${[...parts, ...more].join(', ')}.`;
}

/** The ends of the axis, above the bar. */
function drawDates({ from, to, isFromKnown }: AxisList['axis'], left: number, width: number): SvgElement[] {
  const [start, end] = [formatDay(from), `last check ${formatDay(to)}`];
  const space = width - PADDING - left - estimateWidth(`${end}  `, TICK_FONT_SIZE);
  const texts = isFromKnown ? [`created ${start}`] : [`creation unknown, since ${start}`, `since ${start}`];
  const first = texts.find((text) => estimateWidth(text, TICK_FONT_SIZE) <= space) ?? start;
  const attributes = { y: DATES_Y, fill: colorOf('muted') };
  return [
    createElement('text', { x: left, ...attributes }, first),
    createElement('text', { x: width - PADDING, ...attributes, 'text-anchor': 'end' }, end),
  ];
}

/** The unknown time before the axis: it has no scale, so that it stands apart. */
function drawOpenPast(id: string): SvgElement[] {
  const box = { x: PADDING, y: BAR_Y, width: OPEN_WIDTH - 8, height: BAR_HEIGHT };
  return [
    createElement('rect', { ...box, fill: patternOf(id, 'unknown') }),
    createElement('rect', { ...box, fill: 'none', stroke: colorOf('unknown'), 'stroke-dasharray': '3 3' }),
    createElement(
      'text',
      {
        x: PADDING + box.width / 2,
        y: BAR_Y + BAR_HEIGHT / 2,
        dy: '0.35em',
        'text-anchor': 'middle',
        'font-weight': 600,
        fill: colorOf('ink'),
        stroke: colorOf('background'),
        'stroke-width': 4,
        'paint-order': 'stroke',
      },
      '?',
    ),
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

const patternOf = (id: string, state: CellState): string => `url(#${id}-${state})`;

/** Complete times are a solid bar; others differ from it, and from each other, in colour, texture and height. */
function drawState(
  state: CellState,
  { x, width, y = BAR_Y, height = BAR_HEIGHT }: { x: number; width: number; y?: number; height?: number },
  id: string,
): SvgElement {
  const fill = state === 'complete' ? colorOf('complete') : patternOf(id, state);
  const [top, low] = state === 'complete' || state === 'partly' ? [y, height] : [y + height / 4, height / 2];
  if (state === 'outside') return createElement('g');
  return createElement('rect', { x, y: top, width, height: low, fill, 'data-state': state });
}

/** The textures of all states that are not complete. */
function definePatterns(id: string, used: ReadonlySet<CellState>): SvgElement {
  const line = (d: string, color: string, width: number): SvgElement =>
    createElement('path', { d, fill: 'none', stroke: color, 'stroke-width': width });
  const ground = (color: string): SvgElement => createElement('rect', { width: 6, height: 6, fill: color });
  const contents: Readonly<Partial<Record<CellState, readonly SvgElement[]>>> = {
    partly: [ground(colorOf('background')), line('M1.5,0V6M4.5,0V6', colorOf('complete'), 1.5)],
    gap: [ground(colorOf('unobserved')), line('M-1,1L1,-1M0,6L6,0M5,7L7,5', colorOf('gap'), 1.4)],
    searched: [ground(colorOf('unobserved')), line('M0,1.5H6M0,4.5H6', colorOf('gap'), 1)],
    pruned: [ground(colorOf('background')), line('M1,1L5,5M5,1L1,5', colorOf('unknown'), 1)],
    unknown: [ground(colorOf('unobserved')), line('M3,2V4', colorOf('unknown'), 2)],
  };
  return createElement(
    'defs',
    {},
    Object.entries(contents)
      .filter(([state]) => used.has(state as CellState))
      .map(([state, content]) =>
        createElement(
          'pattern',
          { id: `${id}-${state}`, width: 6, height: 6, patternUnits: 'userSpaceOnUse' },
          content,
        ),
      ),
  );
}

interface Block {
  readonly bottom: number;
  readonly children: readonly SvgElement[];
}

/** The line below the bar with the years, months or days. */
function drawTicks(axis: AxisRange, { left, width }: { left: number; width: number }): Block {
  const { domain, ticks } = planTimeAxis({ min: axis.from, max: axis.to, tickCount: Math.max(2, width / TICK_WIDTH) });
  const [low, high] = domain;
  const place = (at: number): number => left + ((at - low) / (high - low)) * width;
  const stroke = { stroke: colorOf('axis') };
  const lines = Math.max(...ticks.map(({ label }) => label.split('\n').length));
  const children = [
    createElement('line', { x1: left, x2: left + width, y1: BAR_END, y2: BAR_END, ...stroke }),
    ...ticks.flatMap(({ at, label }) => [
      createElement('line', { x1: place(at), x2: place(at), y1: BAR_END, y2: BAR_END + TICK_LENGTH, ...stroke }),
      ...label.split('\n').map((text, line) =>
        createElement(
          'text',
          {
            x: clampLabel(place(at), text, left + width),
            y: BAR_END + TICK_LENGTH + LINE_HEIGHT * (line + 1) - 3,
            'text-anchor': 'middle',
            fill: colorOf('muted'),
          },
          text,
        ),
      ),
    ]),
  ];
  return { bottom: BAR_END + TICK_LENGTH + lines * LINE_HEIGHT, children };
}

/** Keeps a label within the picture. */
function clampLabel(x: number, text: string, right: number): number {
  const half = estimateWidth(text, TICK_FONT_SIZE) / 2;
  return Math.min(Math.max(x, half), right + PADDING - half);
}

/** Explains the states that are drawn, in rows. Positions are relative to the top left corner. */
function drawLegend(
  used: ReadonlySet<CellState>,
  width: number,
  id: string,
): { readonly height: number; readonly children: readonly SvgElement[] } {
  let [x, y] = [0, 0];
  const keys = MEANINGS.filter(([state]) => used.has(state));
  const children = keys.flatMap(([state, meaning]) => {
    const keyWidth = KEY_WIDTH + 6 + estimateWidth(meaning, TICK_FONT_SIZE);
    if (x > 0 && x + keyWidth > width) [x, y] = [0, y + KEY_ROW];
    const sample = { x, y, width: KEY_WIDTH, height: KEY_HEIGHT };
    const text = { x: x + KEY_WIDTH + 6, y: y + KEY_HEIGHT / 2, dy: '0.35em', fill: colorOf('ink') };
    x += keyWidth + KEY_GAP;
    return [drawState(state, sample, id), createElement('text', text, meaning)];
  });
  return { height: keys.length === 0 ? 0 : y + KEY_ROW, children };
}
