import { SaxesParser } from 'saxes';
import type { ChartSpec } from '#analysis/queries/chart-spec.ts';
import type { DrawOptions } from '#files/chart/chart-layout.ts';
import { drawChart } from '#files/chart/draw-chart.ts';

/** An element of a parsed picture. */
export interface ParsedElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: ParsedElement[];
  /** The attributes that its content inherits, and those that it inherits itself. */
  readonly inherited: Readonly<Record<string, string>>;
  /** The text inside of it, of all its descendants. */
  text: string;
}

const INHERITED = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray'];

/** Parses a picture with a strict parser of XML 1.0 and its namespaces. Throws if it is not well-formed. */
export function parseSvg(svg: string): ParsedElement {
  const root: ParsedElement = { name: '', attributes: {}, inherited: {}, children: [], text: '' };
  const open = [root];
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const values = Object.fromEntries(Object.values(attributes).map((attribute) => [attribute.name, attribute.value]));
    const own = Object.fromEntries(Object.entries(values).filter(([key]) => INHERITED.includes(key)));
    const inherited = { ...open.at(-1)!.inherited, ...own };
    const element: ParsedElement = { name, attributes: values, inherited, children: [], text: '' };
    open.at(-1)!.children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  parser.on('text', (text) => {
    for (const element of open) element.text += text;
  });
  parser.write(svg).close();
  return root.children[0]!;
}

/** All elements of a name, in the order of the document. */
export const findAll = (element: ParsedElement, name: string): ParsedElement[] =>
  element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...findAll(child, name)]);

/** The texts that people see, in the order of the document. */
export const listTexts = (picture: ParsedElement): string[] =>
  findAll(picture, 'text').map((text) => {
    const lines = text.children.filter(({ name }) => name === 'tspan');
    return lines.length === 0 ? text.text : lines.map((line) => line.text).join('\n');
  });

/** The shapes with a value, by the text that a browser shows over them. */
export const listShapes = (picture: ParsedElement, name: 'rect' | 'path'): Map<string, ParsedElement> =>
  new Map(
    findAll(picture, name).flatMap((shape) => {
      const [title] = findAll(shape, 'title');
      return title ? [[title.text, shape] as const] : [];
    }),
  );

/** Draws rows of a chart, and parses the picture. */
export async function drawRows(
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
  spec: ChartSpec,
  options?: DrawOptions,
): Promise<{ svg: string; picture: ParsedElement }> {
  const svg = await drawChart({ columns, rows }, spec, options);
  return { svg, picture: parseSvg(svg) };
}
