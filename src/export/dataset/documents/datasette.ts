import type { WrittenTable } from '../write-tables.ts';
import type { PackageFacts } from './data-package.ts';

/** The name of the database that the recipe of docs/recipes.md makes of a dataset: `dataset.db`. */
const DATABASE = 'dataset';

/** `datasette.json`: the metadata with which Datasette describes the tables and columns of `dataset.db`. */
export function formatDatasetteMetadata(
  tables: readonly WrittenTable[],
  { metadata, description }: PackageFacts,
): string {
  const document = {
    title: metadata.title,
    description,
    databases: {
      [DATABASE]: {
        tables: Object.fromEntries(
          tables.map(({ name, title: summary, labelColumn, columns }) => [
            name,
            {
              description: `${summary}.`,
              ...(labelColumn === undefined ? {} : { label_column: labelColumn }),
              columns: Object.fromEntries(columns.map(({ name: column, description: text = '' }) => [column, text])),
            },
          ]),
        ),
      },
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
