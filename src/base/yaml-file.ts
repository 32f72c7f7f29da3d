import { type Document, isMap, isNode, Lexer, LineCounter, parseDocument, Parser } from 'yaml';

/** Parses YAML files and locates their problems. */

/** A position in a file; both numbers start at 1. */
export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

export interface FileProblem extends FilePosition {
  readonly message: string;
}

/** Keys and indexes from the root of the document. */
export type DocumentPath = readonly string[];

/** Returns the position of a value or its key, or of the part that would contain it. */
export type PositionFinder = (path: DocumentPath, part?: 'value' | 'key') => FilePosition;

const positionAt = (lines: LineCounter, offset: number): FilePosition => {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
};

function createLocator(document: Document, lines: LineCounter): PositionFinder {
  const findPosition = (node: unknown): FilePosition | undefined =>
    isNode(node) && node.range ? positionAt(lines, node.range[0]) : undefined;
  const findValue = (path: DocumentPath): unknown =>
    path.length === 0 ? document.contents : document.getIn(path, true);
  const findKey = (path: DocumentPath): unknown => {
    const map = findValue(path.slice(0, -1));
    return isMap(map) ? map.items.find(({ key }) => String(key) === path.at(-1))?.key : undefined;
  };
  return function locate(path, part = 'value'): FilePosition {
    const value = part === 'value' ? findPosition(findValue(path)) : undefined;
    const found = value ?? findPosition(findKey(path));
    if (found) return found;
    return path.length === 0 ? { line: 1, column: 1 } : locate(path.slice(0, -1));
  };
}

/** A parsed YAML file, or the problem that prevents it. */
export interface YamlFile {
  readonly document: Document;
  /** The content as plain values, unchecked; undefined if there is a problem. */
  readonly content: unknown;
  readonly problem: FileProblem | undefined;
  readonly locate: PositionFinder;
}

/** Parses YAML as one document; a warning is a problem, too. Pure. */
export function parseYaml(text: string): YamlFile {
  const lines = new LineCounter();
  // Deep nesting would exhaust the stack of the parser and may abort the process.
  const isDeep = isNestedDeeper(text, MAX_DEPTH);
  const document = parseDocument(isDeep ? '' : text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const locate = createLocator(document, lines);
  const reject = (message: string, position = locate([])): YamlFile => ({
    document,
    content: undefined,
    problem: {
      ...position,
      message,
    },
    locate,
  });
  if (isDeep) return reject(`nested too deeply: more than ${MAX_DEPTH} levels`, { line: 1, column: 1 });
  // The first error often causes the others.
  const [fault] = [...document.errors, ...document.warnings];
  if (fault) return reject(`not YAML: ${fault.message}${hintFor(fault.message)}`, positionAt(lines, fault.pos[0]));
  try {
    return { document, content: document.toJS(), problem: undefined, locate };
  } catch {
    return reject('too many aliases: repeat the values instead');
  }
}

const MAX_DEPTH = 100;

/** Returns whether maps and lists are nested deeper than `levels`, without recursion. */
function isNestedDeeper(text: string, levels: number): boolean {
  // Each level needs one of these, and parsing twice doubles the time. The stack has a few entries of its own.
  if ((text.match(/[[{:?-]/g) ?? []).length < levels - 5) return false;
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    Array.from(parser.next(lexeme));
    if (parser.stack.length > levels) return true;
  }
  return false;
}

/** Hints for common mistakes with YAML syntax. */
const hintFor = (message: string): string =>
  /alias|reserved character/i.test(message) ? ' (put a value that begins with @ or * in quotes)' : '';

/** A problem in the format of compilers: `file:line:column: message`. */
export const formatProblem = (file: string, { line, column }: FilePosition, message: string): string =>
  `${file}:${line}:${column}: ${message}`;
