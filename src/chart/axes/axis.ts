/** A mark of an axis with its label, of one or two lines. */
export interface Tick {
  readonly at: number;
  readonly label: string;
}

/** What an axis shows: the range of its values, and its ticks from low to high. */
export interface Axis {
  readonly domain: readonly [low: number, high: number];
  readonly ticks: readonly Tick[];
}

/** The size of the labels of ticks, in pixels. */
export const TICK_FONT_SIZE = 12;
