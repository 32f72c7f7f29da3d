import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DICTIONARY, renderDictionary } from '../../scripts/data-dictionary.ts';

test('the data dictionary matches the schema', () => {
  expect(readFileSync(DICTIONARY, 'utf8'), 'renew it with: npm run docs:dictionary').toBe(renderDictionary());
});
