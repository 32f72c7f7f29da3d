import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import peggy from 'peggy';

/** Writes src/twin/search/search-parser.ts from its grammar. A test fails if it is out of date (decision 12). */

const twin = resolve(import.meta.dirname, '../src/twin/search');
export const PARSER = resolve(twin, 'search-parser.ts');

const HEADER = `// Generated from search-grammar.peggy by \`npm run search:parser\`: edit that, not this.
// @ts-nocheck
/* oxlint-disable */
`;

/** The source of a module with `parse(text)`, which returns the result of the grammar. */
export function renderParser(): string {
  const grammar = readFileSync(resolve(twin, 'search-grammar.peggy'), 'utf8');
  const source = peggy.generate(grammar, { output: 'source', format: 'es' });
  const body = source.slice(source.indexOf('class peg$SyntaxError'), source.lastIndexOf('export {'));
  return `${HEADER}\n${body.trimEnd()}\n\nexport const parse: (text: string) => unknown = peg$parse;\n`;
}

if (process.argv[1] === import.meta.filename) writeFileSync(PARSER, renderParser());
