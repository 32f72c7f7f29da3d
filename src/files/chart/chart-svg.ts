import { escapeXml } from '#base/text.ts';
import { type ChartTheme, type ColorName, colorOf, findColorName, getColor } from './chart-theme.ts';

/** An element of SVG. Attributes without a value are left out. */
export interface SvgElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  readonly children: readonly SvgNode[];
}

export type SvgNode = SvgElement | string;

export const createElement = (
  name: string,
  attributes: SvgElement['attributes'] = {},
  ...children: readonly (SvgNode | readonly SvgNode[])[]
): SvgElement => ({ name, attributes, children: children.flat() });

interface SvgDocument {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** What the picture is, in a line, and what it shows. */
  readonly title: string;
  readonly description: string;
  readonly theme: ChartTheme;
  readonly attributes?: SvgElement['attributes'];
  readonly children: readonly SvgNode[];
}

/**
 * Formats a picture with a fixed size and a `viewBox`, as one image to assistive technology. It is well-formed XML without
 * scripts and references to anything outside of it. A file has a background, and its colours in both schemes.
 */
export function formatSvg({ id, width, height, title, description, theme, attributes, children }: SvgDocument): string {
  const background = createElement('rect', { width, height, fill: colorOf('background') });
  const used = new Map<string, string>();
  const content = [...(theme === 'file' ? [background] : []), ...children]
    .map((node) => formatNode(node, theme === 'file' ? used : undefined))
    .join('');
  const head = formatNode(createElement('title', { id: `${id}-title` }, title), undefined);
  const body = formatNode(createElement('desc', { id: `${id}-desc` }, description), undefined);
  const styles = used.size === 0 ? '' : `<style>${formatDarkStyles(id, used)}</style>`;
  const root = formatAttributes(
    {
      xmlns: 'http://www.w3.org/2000/svg',
      id,
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'aria-labelledby': `${id}-title ${id}-desc`,
      ...attributes,
    },
    undefined,
  );
  return `<svg${root}>${head}${body}${styles}${content}</svg>\n`;
}

/** The direction of a text is that of its first letter: names may be of any script. */
const DEFAULTS: Readonly<Record<string, SvgElement['attributes']>> = { text: { 'unicode-bidi': 'plaintext' } };

/** Formats a node. @param used receives the style rule of each used colour by its class; undefined keeps the variables */
function formatNode(node: SvgNode, used: Map<string, string> | undefined): string {
  if (typeof node === 'string') return escapeXml(node);
  const { name, children } = node;
  const start = `<${name}${formatAttributes({ ...node.attributes, ...DEFAULTS[name] }, used)}`;
  if (children.length === 0) return `${start}/>`;
  return `${start}>${children.map((child) => formatNode(child, used)).join('')}</${name}>`;
}

function formatAttributes(attributes: SvgElement['attributes'], used: Map<string, string> | undefined): string {
  const classes: string[] = [];
  let text = '';
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    const color = used && typeof value === 'string' ? findColorName(value) : undefined;
    if (color !== undefined) classes.push(addColorClass(used!, name, color));
    text += ` ${name}="${color === undefined ? escapeXml(formatAttribute(name, value)) : getColor(color, 'light')}"`;
  }
  return classes.length === 0 ? text : `${text} class="${classes.join(' ')}"`;
}

/** Returns the class of an attribute with a colour, and adds its rule. A rule of style overrides an attribute. */
function addColorClass(used: Map<string, string>, property: string, color: ColorName): string {
  const name = `${property}-${color}`;
  used.set(name, `{${property}:${getColor(color, 'dark')}}`);
  return name;
}

/** A style sheet may be part of a page with other pictures: its rules are for this one. */
function formatDarkStyles(id: string, used: ReadonlyMap<string, string>): string {
  const rules = [...used].map(([name, rule]) => `#${id} .${name}${rule}`);
  return `@media screen and (prefers-color-scheme:dark){${rules.join('')}}`;
}

/** Attributes of text, whose numbers stay as they are. */
const TEXT_ATTRIBUTES = new Set(['id', 'class', 'xmlns', 'role', 'aria-labelledby', 'font-family']);

/** Returns a value. Coordinates have two decimals at most. */
function formatAttribute(name: string, value: string | number): string {
  if (typeof value === 'number') return String(roundCoordinate(value));
  if (TEXT_ATTRIBUTES.has(name)) return value;
  return value.replaceAll(/-?\d+\.\d{3,}(?:e-?\d+)?/g, (number) => String(roundCoordinate(Number(number))));
}

/** Adding zero turns -0 into 0. */
const roundCoordinate = (value: number): number => Math.round(value * 100) / 100 + 0;
