import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DICTIONARY, renderDictionary } from '../../scripts/data-dictionary.ts';
import { DIAGRAM, renderDiagram } from '../../scripts/er-diagram.ts';

test('the data dictionary and the diagram match the schema', () => {
  expect(readFileSync(DICTIONARY, 'utf8'), 'renew it with: npm run docs:dictionary').toBe(renderDictionary());
  expect(readFileSync(DIAGRAM, 'utf8'), 'renew it with: npm run docs:dictionary').toBe(renderDiagram());
});
