import { describe, expect, test } from 'vitest';
import {
  COLOR_NAMES,
  type ColorName,
  type ColorScheme,
  formatThemeStyles,
  getColor,
  SERIES_COUNT,
  SHADE_COUNT,
} from '#files/chart/chart-theme.ts';

type Triple = readonly [number, number, number];

/** Simulations of complete colour blindness on linear sRGB: Machado, Oliveira and Fernandes 2009, severity 1.0. */
const VISIONS: Readonly<Record<string, readonly Triple[]>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const toLinear = (hex: string): Triple => {
  const channel = (at: number): number => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
};

const multiply = (rows: readonly Triple[], [r, g, b]: Triple): Triple =>
  rows.map(([x, y, z]) => Math.min(1, Math.max(0, x * r + y * g + z * b))) as unknown as Triple;

/** OKLab, Ottosson 2020. */
function toOklab(color: Triple): Triple {
  const product = (rows: readonly Triple[], [x, y, z]: Triple): Triple =>
    rows.map(([a, b, c]) => a * x + b * y + c * z) as unknown as Triple;
  const cones = product(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    color,
  ).map(Math.cbrt) as unknown as Triple;
  return product(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones,
  );
}

const luminance = ([r, g, b]: Triple): number => 0.2126 * r + 0.7152 * g + 0.0722 * b;

/** The contrast of WCAG 2. */
function contrast(a: string, b: string): number {
  const [low, high] = [luminance(toLinear(a)), luminance(toLinear(b))].toSorted((x, y) => x - y);
  return (high! + 0.05) / (low! + 0.05);
}

const named = (prefix: string, count: number, scheme: ColorScheme): string[] =>
  Array.from({ length: count }, (_, i) => getColor(`${prefix}-${i + 1}` as ColorName, scheme));

describe.each(['light', 'dark'] as const)('in %s colours', (scheme) => {
  test.each(Object.keys(VISIONS))('all series can be told apart with %s', (vision) => {
    const colors = named('series', SERIES_COUNT, scheme).map((hex) => ({
      hex,
      lab: toOklab(multiply(VISIONS[vision]!, toLinear(hex))),
    }));
    const near = colors.flatMap((a, i) =>
      colors.slice(0, i).flatMap((b) => {
        const distance = Math.hypot(...a.lab.map((value, at) => value - b.lab[at]!));
        return distance < 0.09 ? [`${a.hex} ${b.hex}: ${distance}`] : [];
      }),
    );
    expect(near).toEqual([]);
  });

  test('shapes have a contrast of 3:1 to the background, and texts of 4.5:1', () => {
    const background = getColor('background', scheme);
    for (const color of named('series', SERIES_COUNT, scheme)) expect(contrast(color, background)).toBeGreaterThan(3);
    for (const name of ['complete', 'gap', 'unknown', 'axis'] as const) {
      expect(contrast(getColor(name, scheme), background), name).toBeGreaterThan(3);
    }
    for (const name of ['ink', 'muted'] as const) {
      expect(contrast(getColor(name, scheme), background), name).toBeGreaterThan(4.5);
    }
  });

  test('shades go in one direction, and their texts have a contrast of 4.5:1', () => {
    const shades = named('shade', SHADE_COUNT, scheme);
    const steps = shades.slice(1).map((shade, i) => luminance(toLinear(shade)) - luminance(toLinear(shades[i]!)));
    expect(new Set(steps.map(Math.sign)).size).toBe(1);
    for (const [i, text] of named('shade-text', SHADE_COUNT, scheme).entries()) {
      expect(contrast(text, shades[i]!), shades[i]!).toBeGreaterThan(4.5);
    }
  });
});

test('the style sheet of a page declares every colour in both schemes, and prints in light ones', () => {
  const [light, dark] = formatThemeStyles().split('\n');
  for (const name of COLOR_NAMES) {
    expect(light).toContain(`--chart-${name}:${getColor(name, 'light')}`);
    expect(dark).toContain(`--chart-${name}:${getColor(name, 'dark')}`);
  }
  expect(dark).toMatch(/^@media screen and \(prefers-color-scheme:dark\)/);
});
