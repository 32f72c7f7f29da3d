import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { ChartSpec } from '#analysis/queries/chart-spec.ts';
import { type Axis, TICK_FONT_SIZE } from '#files/chart/axis.ts';
import type { Picture } from '#files/chart/chart-layout.ts';
import { createElement, type SvgElement, type SvgNode } from '#files/chart/chart-svg.ts';
import { colorOf } from '#files/chart/chart-theme.ts';
import type { PointSet } from '#files/chart/data/read-points.ts';

/** What a chart is drawn from. */
export interface PictureOptions {
  readonly set: PointSet;
  readonly spec: ChartSpec;
  /** Pixels. */
  readonly width: number;
  /** The start of all ids of the picture. */
  readonly id: string;
  /** What the shades of a heatmap show. */
  readonly valueLabel: string;
}

/** What is drawn, with the margins around the part that has the values, in pixels. */
interface PlotOptions {
  readonly width: number;
  readonly plotHeight: number;
  readonly marginTop: number;
  readonly marginRight: number;
  readonly marginBottom: number;
  readonly marginLeft: number;
  readonly x: Pick<Axis, 'domain'>;
  readonly y: Pick<Axis, 'domain'>;
  readonly marks: Plot.Markish[];
  readonly keys: Picture['keys'];
}

/** Draws marks over linear scales: positions of times and categories are numbers, too. */
export function renderPicture({ plotHeight, x, y, marks, keys, ...frame }: PlotOptions): Picture {
  const height = frame.marginTop + plotHeight + frame.marginBottom;
  const picture: unknown = Plot.plot({
    ...frame,
    height,
    document: getPlotDocument() as never,
    x: { type: 'linear', domain: x.domain, axis: null },
    y: { type: 'linear', domain: y.domain, axis: null },
    marks,
  });
  return {
    height,
    left: frame.marginLeft,
    right: frame.width - frame.marginRight,
    keys,
    children: readPlotChildren(picture),
  };
}

/** Returns the function from values to pixels. */
export function createScale({ domain: [low, high] }: Pick<Axis, 'domain'>, from: number, to: number) {
  return (value: number): number => from + ((value - low) / (high - low)) * (to - from);
}

/** Returns the lines of a grid, and those at its ends. */
export const createGridMarks = (axis: Axis, direction: 'x' | 'y'): Plot.Markish => {
  const options = { stroke: colorOf('grid'), strokeOpacity: 1 };
  const positions = axis.ticks.map(({ at }) => at);
  return direction === 'x' ? Plot.gridX(positions, options) : Plot.gridY(positions, options);
};

interface AxisMarkOptions {
  readonly rotation?: number;
  readonly tickSize?: number;
  readonly color?: 'muted' | 'ink';
}

/** Returns an axis with the labels of its ticks; its title is not part of it. */
export function createAxisMarks(
  axis: Axis,
  direction: 'x' | 'y',
  { rotation = 0, tickSize = 5, color = 'muted' }: AxisMarkOptions = {},
): Plot.Markish {
  const labels = new Map(axis.ticks.map(({ at, label }) => [at, label]));
  const options = {
    label: null,
    tickSize,
    fontSize: TICK_FONT_SIZE,
    fill: colorOf(color),
    stroke: colorOf('axis'),
    tickFormat: (at: number) => labels.get(at)!,
  };
  const positions = [...labels.keys()];
  return direction === 'x'
    ? Plot.axisX(positions, { ...options, tickRotate: rotation, lineHeight: 1.15 })
    : Plot.axisY(positions, options);
}

/** What is read of a node of a document. */
interface DomNode {
  readonly nodeType: number;
  readonly localName: string;
  readonly textContent: string | null;
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
  readonly childNodes: Iterable<DomNode>;
}

const ELEMENT_NODE = 1;
const TEXT_NODE = 3;

let plotDocument: unknown;

/** Returns the document that Plot creates its elements in. Nothing is attached to it. */
const getPlotDocument = (): unknown => (plotDocument ??= parseHTML('<html></html>').document);

/**
 * Returns the content of a picture of Plot as plain elements. Left out are its style sheet, and the attributes for assistive
 * technology: the whole chart is one image, with a description.
 */
const readPlotChildren = (picture: unknown): SvgNode[] =>
  [...(picture as DomNode).childNodes].filter(({ localName }) => localName !== 'style').flatMap(readNode);

function readNode(node: DomNode): (SvgElement | string)[] {
  if (node.nodeType === TEXT_NODE) return [node.textContent ?? ''];
  if (node.nodeType !== ELEMENT_NODE) return [];
  // Documents differ in the order of attributes.
  const attributes = [...node.attributes]
    .filter(({ name }) => !name.startsWith('aria-'))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return [
    createElement(
      node.localName,
      Object.fromEntries(attributes.map(({ name, value }) => [name, value])),
      [...node.childNodes].flatMap(readNode),
    ),
  ];
}
