import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { getTableName, is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as schema from '#store/schema/tables.ts';

/** Writes docs/reference/er-diagram.md: tables and foreign keys of src/store/schema/tables. */

export const DIAGRAM = join(resolve(import.meta.dirname, '..'), 'docs/reference/er-diagram.md');

const HEADER = `# Tables and their keys

Generated from \`src/store/schema/tables/\` by \`npm run docs:dictionary\`: edit those, not this. [The data dictionary](data-dictionary.md) has the columns.

Foreign keys are declared and not enforced: a row is always written after the rows that it refers to, and \`trawl doctor --deep\` checks it. Columns that refer to
\`raw_pages\` are no keys, since bodies expire. Tables that begin with \`_\`, for bookkeeping, are left out.
`;

/** The diagrams as Markdown, without tables of bookkeeping: collected data, and records of crawls. */
export function renderDiagram(): string {
  const tables = (Object.values(schema).filter((one) => is(one, SQLiteTable)) as SQLiteTable[])
    .filter((table) => !getTableName(table).startsWith('_'))
    .toSorted((a, b) => (getTableName(a) < getTableName(b) ? -1 : 1));
  const keys = tables.flatMap((table) => {
    const { name, foreignKeys } = getTableConfig(table);
    return foreignKeys.map((key) => {
      const { columns, foreignTable } = key.reference();
      return { name, parent: getTableName(foreignTable), column: columns[0]! };
    });
  });
  const draw = (title: string, parents: readonly string[]): string => {
    const lines = keys
      .filter(({ parent }) => parents.includes(parent))
      .map(({ name, parent, column }) => `  ${parent} ${column.notNull ? '||' : '|o'}--o{ ${name} : ${column.name}`);
    return `## ${title}\n\n\`\`\`mermaid\nerDiagram\n${lines.join('\n')}\n\`\`\`\n`;
  };
  return [
    HEADER,
    draw('Collected data', ['users', 'tweets', 'communities', 'lists', 'searches', 'panels']),
    draw('Records of crawls', ['crawls', 'runs', 'requests', 'coverage']),
  ].join('\n');
}

if (process.argv[1] === import.meta.filename) writeFileSync(DIAGRAM, renderDiagram());
