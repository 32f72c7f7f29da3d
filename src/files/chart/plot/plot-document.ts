import { parseHTML } from 'linkedom';
import { createElement, type SvgElement, type SvgNode } from '../chart-svg.ts';

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
export const getPlotDocument = (): unknown => (plotDocument ??= parseHTML('<html></html>').document);

/**
 * Returns the content of a picture of Plot as plain elements. Left out are its style sheet, and the attributes for assistive
 * technology: the whole chart is one image, with a description.
 */
export const readPlotChildren = (picture: unknown): SvgNode[] =>
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
