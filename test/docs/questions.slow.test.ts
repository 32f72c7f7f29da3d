import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DOCS, renderQuestions } from '../../scripts/questions-page.ts';
import { QUESTIONS } from '../../scripts/questions/questions.ts';

test(
  'docs/questions.md and its charts are what its commands show (npm run docs:questions)',
  { timeout: 900_000 },
  async () => {
    const files = await renderQuestions();
    expect(QUESTIONS).toHaveLength(10);
    expect(files.get('questions.md')!.match(/^## /gm)).toHaveLength(QUESTIONS.length);
    for (const [name, content] of files) expect(readFileSync(join(DOCS, name), 'utf8'), name).toBe(content);
    const charts = [...files.keys()].flatMap((name) => (name.endsWith('.svg') ? [name.split('/')[1]!] : []));
    expect(readdirSync(join(DOCS, 'questions')).toSorted()).toEqual(charts.toSorted());
  },
);
