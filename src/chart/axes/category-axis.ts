import { ellipsise, estimateWidth } from '../text-width.ts';
import { TICK_FONT_SIZE, type Axis } from './axis.ts';

export interface CategoryAxis extends Axis {
  /** The angle of the labels in degrees. */
  readonly rotation: number;
  /** The height of the labels in pixels. */
  readonly labelHeight: number;
  /** How far the first label reaches to the left of the axis, in pixels. */
  readonly overhang: number;
}

/** The distance between labels in pixels. */
const LABEL_GAP = 8;
const ROTATION = -40;
const MAX_ROTATED_WIDTH = 120;
/** The distance of rotated labels. */
const ROTATED_STEP = 16;
const MIN_LABEL_WIDTH = 96;

/** Labels in one row. */
const FLAT = { rotation: 0, labelHeight: TICK_FONT_SIZE, overhang: 0 };

/** Hours, ages and the like, of which a part tells the others. */
const ORDERED = /^[\d:.,+-]+$/;

/**
 * Plans an axis of categories below a chart. Labels that do not fit beside each other are cut between graphemes, or turned;
 * of numbers, some are left out.
 */
export function planCategoryAxis(names: readonly string[], width: number): CategoryAxis {
  const band = width / names.length;
  const widest = Math.max(...names.map((name) => estimateWidth(name, TICK_FONT_SIZE)));
  const domain = [-0.5, names.length - 0.5] as const;
  const every = (step: number, label: (name: string) => string): Axis['ticks'] =>
    names.flatMap((name, at) => (at % step === 0 ? [{ at, label: label(name) }] : []));
  if (widest + LABEL_GAP <= band) {
    return { domain, ticks: every(1, (name) => name), ...FLAT };
  }
  if (names.every((name) => ORDERED.test(name))) {
    const step = Math.ceil((widest + LABEL_GAP) / band);
    return { domain, ticks: every(step, (name) => name), ...FLAT };
  }
  if (band - LABEL_GAP >= MIN_LABEL_WIDTH) {
    const cut = (name: string): string => ellipsise(name, band - LABEL_GAP, TICK_FONT_SIZE);
    return { domain, ticks: every(1, cut), ...FLAT };
  }
  const cut = (name: string): string => ellipsise(name, MAX_ROTATED_WIDTH, TICK_FONT_SIZE);
  const angle = (ROTATION * Math.PI) / 180;
  const first = Math.min(estimateWidth(names[0]!, TICK_FONT_SIZE), MAX_ROTATED_WIDTH);
  return {
    ...{ domain, ticks: every(Math.ceil(ROTATED_STEP / band), cut), rotation: ROTATION },
    labelHeight: -Math.sin(angle) * Math.min(widest, MAX_ROTATED_WIDTH) + TICK_FONT_SIZE,
    overhang: Math.cos(angle) * first - band / 2,
  };
}
