/** The outline of a symbol, in units of its radius. */
type Outline = readonly (readonly [x: number, y: number])[];

const polygon = (corners: number, turn: number, inner = 1): Outline =>
  Array.from({ length: corners }, (_, i) => {
    const angle = 2 * Math.PI * (turn + i / corners);
    const radius = i % 2 === 0 ? 1.25 : 1.25 * inner;
    return [radius * Math.cos(angle), radius * Math.sin(angle)] as const;
  });

/** The symbols of the series, which tell them apart without colour. */
const OUTLINES: readonly Outline[] = [
  polygon(24, 0),
  polygon(4, 1 / 8),
  polygon(3, -1 / 4),
  polygon(4, 0),
  polygon(3, 1 / 4),
  polygon(8, 0, 0.4),
  polygon(10, -1 / 4, 0.45),
  polygon(6, 0),
];

/** Returns the path of a symbol around the origin. @param radius in pixels */
export const formatSymbol = (series: number, radius: number): string =>
  `M${OUTLINES[series]!.map(([x, y]) => `${(x * radius).toFixed(2)},${(y * radius).toFixed(2)}`).join('L')}Z`;

/** The dashes of the lines of the series, in pixels. */
export const DASHES: readonly (string | undefined)[] = [
  undefined,
  '7 3',
  '2 3',
  '9 3 2 3',
  '14 4',
  '5 2 2 2 2 2',
  '4 4',
  '1 5',
];

/** The symbol of a series for Plot, whose sizes are areas. */
export const plotSymbol = (series: number): { draw(context: PathContext, size: number): void } => ({
  draw(context, size) {
    const radius = Math.sqrt(size / Math.PI);
    for (const [i, [x, y]] of OUTLINES[series]!.entries()) {
      if (i === 0) context.moveTo(x * radius, y * radius);
      else context.lineTo(x * radius, y * radius);
    }
    context.closePath();
  },
});

interface PathContext {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  closePath(): void;
}
