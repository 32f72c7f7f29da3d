import type { Segment, TimeAxis } from '../../analysis/coverage/coverage-model.ts';
import { CELL_LABELS, type CellState, divideIntoCells } from '../../files/chart/coverage-cells.ts';
import { formatDay } from '../terminal/print.ts';

/** The characters of a bar. They differ without colour; the table below the bar says the same in words. */
const SYMBOLS: Readonly<Record<CellState, string>> = {
  complete: '█',
  partly: '▒',
  gap: '·',
  searched: '-',
  pruned: 'x',
  unknown: '?',
  outside: ' ',
};

/** The narrowest and the widest bar with its dates, in columns. */
const [NARROWEST, WIDEST] = [60, 160];
/** The columns of a date and of the space beside it. */
const DATE = 11;

/**
 * Draws the axis of a list at its true scale: `2019-03-01 ····████▒██ 2025-01-31`.
 * @param width the columns of the terminal
 */
export function drawBar({ from, to }: TimeAxis, segments: readonly Segment[], width: number): string {
  const count = Math.min(WIDEST, Math.max(NARROWEST, width)) - 2 * DATE;
  const cells = divideIntoCells({ from, to }, segments, count);
  return `${formatDay(from)} ${cells.map((state) => SYMBOLS[state]).join('')} ${formatDay(to)}`;
}

/** Explains the characters of bars. */
export function formatLegend(bars: readonly string[]): string {
  const cells = bars.map((bar) => bar.slice(DATE, -DATE)).join('');
  return CELL_LABELS.filter(([state]) => cells.includes(SYMBOLS[state]))
    .map(([state, label]) => `${SYMBOLS[state]} ${label}`)
    .join('  ');
}
