import type { Axis } from './axis.ts';

interface NumericAxisOptions {
  /** The smallest and the largest value. */
  readonly min: number;
  readonly max: number;
  readonly isInteger: boolean;
  /** Whether the axis has to include zero, as lengths and filled areas need it. */
  readonly includesZero: boolean;
  /** About how many ticks fit. */
  readonly tickCount: number;
}

/** Ranges below this share of the values are flat: doubles have no more digits to tell their ticks apart. */
const FLAT_SHARE = 1e-9;
/** From here on, and for steps below, numbers have exponents. */
const EXPONENT_FROM = 1e15;
const MAX_DECIMALS = 6;

/**
 * Plans an axis of numbers whose first and last ticks are round and enclose all values. Ticks of integers are integers. Flat
 * series have ticks around their value. A line whose values are small compared with their distance from zero leaves zero out.
 */
export function planNumericAxis({ min, max, isInteger, includesZero, tickCount }: NumericAxisOptions): Axis {
  const [low, high] = findRange(min, max, isInteger, includesZero);
  const step = roundStep((high - low) / tickCount, isInteger);
  const first = Math.floor(low / step);
  const last = Math.ceil(high / step);
  const format = createFormatter(Math.max(Math.abs(first), Math.abs(last)) * step, step);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => {
    const at = trimDigits((first + i) * step);
    return { at, label: format(at) };
  });
  return { domain: [ticks[0]!.at, ticks.at(-1)!.at], ticks };
}

function findRange(min: number, max: number, isInteger: boolean, includesZero: boolean): [number, number] {
  const isNearZero = Math.min(Math.abs(min), Math.abs(max)) < (max - min) / 2;
  const [low, high] = includesZero || isNearZero ? [Math.min(0, min), Math.max(0, max)] : [min, max];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low > size * FLAT_SHARE) return [low, high];
  if (size === 0) return [0, 1];
  const margin = isInteger ? Math.max(1, Math.round(size * 1e-6)) : size * 0.1;
  return [low >= 0 ? Math.max(0, low - margin) : low - margin, high + margin];
}

/** Returns the smallest of 1, 2 and 5 times a power of ten that is not less than `step`. */
function roundStep(step: number, isInteger: boolean): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 5, 10].find((each) => each * power >= step * (1 - FLAT_SHARE))!;
  return isInteger ? Math.max(1, factor * power) : factor * power;
}

/** Removes the last digits, which differ by how a number was computed; -0 becomes 0. */
const trimDigits = (value: number): number => Number(value.toPrecision(12)) + 0;

function createFormatter(largest: number, step: number): (value: number) => string {
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - FLAT_SHARE));
  if (largest >= EXPONENT_FROM || decimals > MAX_DECIMALS) {
    const digits = Math.max(0, Math.ceil(Math.log10(largest / step)));
    return (value) => (value === 0 ? '0' : value.toExponential(digits));
  }
  const format = new Intl.NumberFormat('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return (value) => format.format(value);
}

const EXACT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

/** Returns a value as labels and descriptions show it. */
export const formatValue = (value: number): string =>
  Math.abs(value) >= EXPONENT_FROM || (value !== 0 && Math.abs(value) < 0.001)
    ? value.toExponential(3)
    : EXACT.format(value);
