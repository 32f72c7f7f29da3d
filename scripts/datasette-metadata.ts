import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { getTableName } from 'drizzle-orm';
import { commentsByName, describeViews, readTables, withStore } from './data-dictionary.ts';

/** Writes docs/reference/datasette.json: the descriptions of the data dictionary as metadata of Datasette, for the file trawl.db. */

export const DATASETTE_FILE = join(resolve(import.meta.dirname, '..'), 'docs/reference/datasette.json');

/** The columns that Datasette shows in place of a key of the table. */
const LABELS: Readonly<Record<string, string>> = {
  users: 'screen_name',
  communities: 'name',
  lists: 'name',
  searches: 'query',
};

/** The metadata as plain JSON. Bookkeeping and bodies are hidden: they stay out of the list of tables. */
export function createDatasetteMetadata() {
  const tables = readTables().map(
    ({ table, comments }) =>
      [
        getTableName(table),
        describe(getTableName(table), comments.table, Object.fromEntries(commentsByName(table, comments))),
      ] as const,
  );
  const views = withStore(describeViews).map(
    ({ name, summary, columns, isDescribed }) => [name, describe(name, summary, isDescribed ? columns : {})] as const,
  );
  return {
    title: 'A store of trawl',
    description: 'The views, whose names begin with v_, have handles, the ids of the service, and times in ISO 8601.',
    databases: { trawl: { tables: Object.fromEntries([...tables, ...views]) } },
  };
}

const describe = (name: string, description: string, columns: Readonly<Record<string, string>>) => ({
  description,
  ...(name.startsWith('_') || name === 'raw_pages' ? { hidden: true } : {}),
  ...(LABELS[name] === undefined ? {} : { label_column: LABELS[name] }),
  ...(Object.keys(columns).length === 0 ? {} : { columns }),
});

if (process.argv[1] === import.meta.filename) {
  writeFileSync(DATASETTE_FILE, `${JSON.stringify(createDatasetteMetadata(), null, 2)}\n`);
}
