import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FACT_TABLES, typeOf } from '../src/ship/facts/fact-tables.ts';

/** Writes the tables of facts in docs/ship.md. */

export const SHIP_PAGE = join(resolve(import.meta.dirname, '..'), 'docs', 'ship.md');

const LAST_LINE = 'by `npm run docs:facts`.\n';

/** The page with its generated part: each table with its columns, its key and their types. */
export function renderShipPage(page: string): string {
  const written = page.slice(0, page.indexOf(LAST_LINE) + LAST_LINE.length);
  const tables = Object.entries(FACT_TABLES).map(([name, { description, columns, key }]) => {
    const keys: readonly string[] = key;
    const rows = Object.entries(columns).map(
      ([column, noted]) => `| \`${column}\` | ${typeOf(noted)} | ${keys.includes(column) ? 'yes' : ''} |`,
    );
    return `### ${name}\n\n${description}\n\n| column | type | key |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `${written}\n${tables.join('\n')}`;
}

if (import.meta.filename === process.argv[1]) writeFileSync(SHIP_PAGE, renderShipPage(readFileSync(SHIP_PAGE, 'utf8')));
