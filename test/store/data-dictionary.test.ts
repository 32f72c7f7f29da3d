import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DICTIONARY, renderDictionary } from '../../scripts/data-dictionary.ts';
import { createDatasetteMetadata, DATASETTE_FILE } from '../../scripts/datasette-metadata.ts';
import { DIAGRAM, renderDiagram } from '../../scripts/er-diagram.ts';

test('the data dictionary, the diagram and the metadata of Datasette match the schema', () => {
  expect(readFileSync(DICTIONARY, 'utf8'), 'renew it with: npm run docs:dictionary').toBe(renderDictionary());
  expect(readFileSync(DIAGRAM, 'utf8'), 'renew it with: npm run docs:dictionary').toBe(renderDiagram());
  const metadata = JSON.parse(readFileSync(DATASETTE_FILE, 'utf8')) as unknown;
  expect(metadata, 'renew it with: npm run docs:dictionary').toEqual(createDatasetteMetadata());
});
