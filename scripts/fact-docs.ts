import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FACT_TABLES, typeOf } from '#store/outbox/fact-tables.ts';

/** Writes docs/reference/facts.md: the tables of facts in a lake. */

export const FACTS_PAGE = join(resolve(import.meta.dirname, '..'), 'docs/reference/facts.md');

const HEADER = `# Facts of a lake

Generated from \`src/store/outbox/fact-tables.ts\` by \`npm run docs:facts\`: edit that, not this page. [The lake](../lake.md) describes
the files.

Columns are text unless a type follows. Times (\`…_at\`) are milliseconds since 1970, UTC. The columns of the key are in bold: they
identify a fact within its entry.
`;

/** Returns the page: each table with its columns and their types. */
export function renderFacts(): string {
  const tables = Object.entries(FACT_TABLES).map(([name, { description, columns, key }]) => {
    const keys: readonly string[] = key;
    const list = Object.entries(columns).map(([column, noted]) => {
      const code = `\`${column}\``;
      const type = typeOf(noted);
      const isPlain = type === 'text' || type === 'timestamp';
      return `${keys.includes(column) ? `**${code}**` : code}${isPlain ? '' : ` ${type}`}`;
    });
    return `## ${name}\n\n${description}\n\n${list.join(', ')}\n`;
  });
  return [HEADER, ...tables].join('\n');
}

if (import.meta.filename === process.argv[1]) writeFileSync(FACTS_PAGE, renderFacts());
