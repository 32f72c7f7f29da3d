import { type Document, isNode, isPair, isMap, type LineCounter, type Node } from 'yaml';

/** A place in a file, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface Mistake extends Position {
  readonly message: string;
}

/** Keys and indexes from the root of the document. */
export type Path = readonly string[];

/** Where a value, or its key, stands; where it would belong, when it is not there. */
export type Locator = (path: Path, part?: 'value' | 'key') => Position;

export const positionAt = (lines: LineCounter, offset: number): Position => {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
};

export function createLocator(document: Document, lines: LineCounter): Locator {
  const at = (node: unknown): Position | undefined =>
    isNode(node) && node.range ? positionAt(lines, node.range[0]) : undefined;

  const valueAt = (path: Path): Node | undefined => {
    const node = path.length === 0 ? document.contents : document.getIn(path, true);
    return isNode(node) ? node : undefined;
  };

  const keyAt = (path: Path): unknown => {
    const map = valueAt(path.slice(0, -1));
    return isMap(map) ? map.items.find((pair) => isPair(pair) && String(pair.key) === path.at(-1))?.key : undefined;
  };

  return function locate(path, part = 'value'): Position {
    const found = part === 'value' ? (at(valueAt(path)) ?? at(keyAt(path))) : at(keyAt(path));
    if (found) return found;
    return path.length === 0 ? { line: 1, column: 1 } : locate(path.slice(0, -1));
  };
}
