import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FACTS_PAGE, renderFacts } from '../../scripts/fact-docs.ts';

test('docs/reference/facts.md has the tables of facts: `npm run docs:facts` writes it', () => {
  expect(readFileSync(FACTS_PAGE, 'utf8')).toBe(renderFacts());
});
