import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';

/**
 * `npm run docs:api` writes docs/api.md: the exports of src/index.ts, from the emitted declarations, with the examples of
 * test/library/examples.ts. (TypeDoc does not support TypeScript 7.)
 */

const root = resolve(import.meta.dirname, '..');

const HEADER = `# The library

Generated from \`src/index.ts\` by \`npm run docs:api\`: edit that, not this. A test runs each example.

\`\`\`ts
import { crawl, openStore } from 'trawl';
\`\`\`

The library installs no signal handlers, never ends the process, prints nothing and reads no environment: the address and
the key of the service are arguments. Several runs in one process do not disturb each other. What is opened has
\`close()\`, and \`Symbol.asyncDispose\` for \`await using\` (Node 24, or a compiler); closing a store also closes what was
started with it. The types need \`@types/node\`.

Only the exports below are stable. Tables and views are described in [the data dictionary](data-dictionary.md).
`;

/** A declaration of a \`.d.ts\` file. */
interface Declaration {
  readonly name: string;
  readonly kind: 'function' | 'class' | 'type';
  /** Its documentation, as Markdown. */
  readonly text: string;
  /** Its source, without its documentation. */
  readonly source: string;
}

/** The reference as Markdown. @param types the folder of the emitted declarations. */
export function renderApiReference(types: string, examples: string): string {
  const exported = readExports(types);
  const byKind = (kind: Declaration['kind']) => exported.filter((each) => each.kind === kind);
  return [
    HEADER,
    '## Functions\n',
    ...byKind('function').flatMap(({ name, text, source }) => [
      `### ${name}\n\n${text}\n`,
      `${inFence(source)}\n`,
      `Example:\n\n${inFence(readExample(examples, name))}\n`,
    ]),
    '## Errors\n',
    'The class says how to react. `hint` says what to do, if that is known.\n',
    '| class | extends | meaning |\n|---|---|---|',
    `${byKind('class').map(renderError).join('\n')}\n`,
    `Example:\n\n${inFence(readExample(examples, 'errors'))}\n`,
    '## Types\n',
    ...byKind('type').map(({ name, text, source }) => `### ${name}\n\n${text}\n\n${inFence(source)}\n`),
  ]
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n');
}

const inFence = (code: string): string => `\`\`\`ts\n${code}\n\`\`\``;

function renderError({ name, text, source }: Declaration): string {
  const [, base = ''] = /extends (\w+)/.exec(source) ?? [];
  return `| \`${name}\` | \`${base}\` | ${text.replaceAll('\n', ' ')} |`;
}

/** What index.d.ts exports, by its public name, in order. */
function readExports(types: string): Declaration[] {
  const index = readFileSync(join(types, 'index.d.ts'), 'utf8');
  const { staticExports } = parseSync('index.d.ts', index).module;
  const entries = staticExports.flatMap((statement) => statement.entries);
  return entries.flatMap(({ moduleRequest, importName, exportName }) => {
    const file = join(types, moduleRequest!.value.replace(/\.[jt]s$/, '.d.ts'));
    const declared = readDeclarations(file);
    if (importName.name === null) return declared;
    const found = declared.find(({ name }) => name === importName.name);
    if (!found) throw new Error(`${file} does not declare ${importName.name}`);
    const name = exportName.name!;
    return { ...found, name, source: found.source.replaceAll(found.name, name) };
  });
}

const KINDS: Readonly<Record<string, Declaration['kind']>> = {
  TSDeclareFunction: 'function',
  FunctionDeclaration: 'function',
  ClassDeclaration: 'class',
  TSInterfaceDeclaration: 'type',
  TSTypeAliasDeclaration: 'type',
};

/** The exported declarations of a file. */
function readDeclarations(file: string): Declaration[] {
  const source = readFileSync(file, 'utf8');
  const { program, comments } = parseSync(file, source);
  return program.body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration' || statement.declaration === null) return [];
    const { declaration } = statement;
    const kind = KINDS[declaration.type];
    if (kind === undefined || !('id' in declaration) || declaration.id?.type !== 'Identifier') return [];
    const comment = comments.findLast(({ end }) => end <= statement.start);
    const isOwn = comment !== undefined && source.slice(comment.end, statement.start).trim() === '';
    const text = source
      .slice(statement.start, statement.end)
      .replace(/^export (declare )?/, '')
      .replaceAll(/^( {4})+/gm, (indent) => ' '.repeat(indent.length / 2));
    return { kind, name: declaration.id.name, text: isOwn ? toMarkdown(comment.value) : '', source: text };
  });
}

/** A documentation comment as Markdown: parameters as a list, errors as a sentence. */
function toMarkdown(comment: string): string {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\*( |$)/, '').trimEnd());
  return lines
    .join('\n')
    .trim()
    .replaceAll(/\{@link (\w+)\}/g, '`$1`')
    .replaceAll(/^@param (\w+) /gm, '- `$1`: ')
    .replaceAll(/\s*@throws /g, '\n\nThrows ')
    .trim();
}

/** The lines of an example between its markers, without their indentation. */
function readExample(examples: string, name: string): string {
  const [, code] = new RegExp(`// \\[${name}\\]\\n([^]*?)\\n *// \\[/${name}\\]`).exec(examples) ?? [];
  if (code === undefined) throw new Error(`test/library/examples.ts has no example of ${name}`);
  return code.replaceAll(/^ {2}/gm, '');
}

if (process.argv[1] === import.meta.filename) {
  const examples = readFileSync(join(root, 'test/library/examples.ts'), 'utf8');
  writeFileSync(join(root, 'docs/api.md'), renderApiReference(join(root, 'dist/types'), examples));
}
