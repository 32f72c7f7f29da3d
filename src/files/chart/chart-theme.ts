/**
 * The colours of charts, in light and dark. Elements have the value `var(--chart-ink)` and so on: a page defines the
 * variables (`formatThemeStyles`), and a file has the colours themselves (`chart-svg.ts`).
 */

/** The maximum number of series. */
export const SERIES_COUNT = 8;
/** The number of shades of a heatmap, from low to high. */
export const SHADE_COUNT = 7;

/** `file`: a standalone file that follows the colour scheme of its viewer. `page`: the colours are the page's variables. */
export type ChartTheme = 'file' | 'page';

export type ColorScheme = 'light' | 'dark';

/**
 * A pair of colours, light and dark. All series colours differ by at least 0.09 in OKLab, also as seen with protanopia,
 * deuteranopia and tritanopia, and have a contrast of 3:1 to the background (`test/chart/theme.test.ts` computes both).
 */
const COLORS = {
  background: ['#ffffff', '#16191d'],
  ink: ['#1b1f24', '#e9edf1'],
  /** Text of axes and keys. */
  muted: ['#59636e', '#9aa6b2'],
  axis: ['#8b96a2', '#6b7682'],
  grid: ['#e3e7eb', '#2b3138'],
  /** Time that was not observed, and cells without a value. */
  unobserved: ['#eef0f3', '#22272d'],
  /** Stripes over time that was observed in part. */
  stripes: ['#b9c1ca', '#4b545e'],
  /** States of a coverage axis. */
  complete: ['#077051', '#4cb58f'],
  gap: ['#be2517', '#f3680f'],
  unknown: ['#8b96a2', '#6b7682'],
  'series-1': ['#186ddf', '#07a1f1'],
  'series-2': ['#bb881a', '#ebc831'],
  'series-3': ['#077051', '#9ecba6'],
  'series-4': ['#be2517', '#f3680f'],
  'series-5': ['#6f29a7', '#5862e1'],
  'series-6': ['#8d719a', '#ad4895'],
  'series-7': ['#054a5e', '#44e1f9'],
  'series-8': ['#791b11', '#bd8696'],
  'shade-1': ['#e4f0ff', '#002d5d'],
  'shade-2': ['#afd1fd', '#05478c'],
  'shade-3': ['#77b2fd', '#0d63bd'],
  'shade-4': ['#4892ed', '#3984dd'],
  'shade-5': ['#2373ce', '#65a5f5'],
  'shade-6': ['#0356a8', '#9bc6fe'],
  'shade-7': ['#003c79', '#d4e6ff'],
  /** Text on the shades, with a contrast of 4.5:1. */
  'shade-text-1': ['#000000', '#ffffff'],
  'shade-text-2': ['#000000', '#ffffff'],
  'shade-text-3': ['#000000', '#ffffff'],
  'shade-text-4': ['#000000', '#000000'],
  'shade-text-5': ['#ffffff', '#000000'],
  'shade-text-6': ['#ffffff', '#000000'],
  'shade-text-7': ['#ffffff', '#000000'],
} as const satisfies Readonly<Record<string, readonly [light: string, dark: string]>>;

export type ColorName = keyof typeof COLORS;

export const COLOR_NAMES = Object.keys(COLORS) as readonly ColorName[];

/** Returns the hexadecimal form of a colour. */
export const getColor = (name: ColorName, scheme: ColorScheme): string => COLORS[name][scheme === 'light' ? 0 : 1];

/** Returns the reference to a colour, for the attributes `fill` and `stroke`. */
export const colorOf = (name: ColorName): string => `var(--chart-${name})`;

/** Returns the name of the colour that a value of an attribute refers to, if it does. */
export function findColorName(value: string): ColorName | undefined {
  const [, name] = /^var\(--chart-([a-z0-9-]+)\)$/.exec(value) ?? [];
  return name !== undefined && Object.hasOwn(COLORS, name) ? (name as ColorName) : undefined;
}

/** Returns the reference to the colour of a series, by its position. */
export const seriesColor = (series: number): string => colorOf(`series-${series + 1}` as ColorName);

/** Fonts with most scripts, in the order of preference. */
export const FONT_FAMILY = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif";

/** Returns the style sheet of a page with charts of the theme `page`. It prints in the light colours. */
export function formatThemeStyles(): string {
  const declare = (scheme: ColorScheme): string =>
    COLOR_NAMES.map((name) => `--chart-${name}:${getColor(name, scheme)}`).join(';');
  return `:root{${declare('light')}}\n@media screen and (prefers-color-scheme:dark){:root{${declare('dark')}}}\n`;
}
