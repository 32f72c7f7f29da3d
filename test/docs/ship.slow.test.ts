import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openStore } from '#store/store.ts';
import { FACTS_PAGE, renderFacts } from '../../scripts/fact-docs.ts';
import { addLake, storePages } from '../ship/shipped-store.ts';
import { runSuccessfully } from '../support/cli.ts';
import { askDuckDb } from '../support/duckdb.ts';
import { tempDir, tempFile } from '../support/temp.ts';

const page = readFileSync('docs/lake.md', 'utf8');

test('docs/reference/facts.md lists all facts (npm run docs:facts)', () => {
  expect(renderFacts()).toBe(readFileSync(FACTS_PAGE, 'utf8'));
});

test('the statements of docs/lake.md run on a lake', async () => {
  const path = tempFile('mine.db');
  const lake = tempDir();
  {
    await using store = openStore(path);
    await storePages(store, '1', 100);
  }
  addLake(path, lake);
  await runSuccessfully(['lake', 'ship', '--once', '--db', path]);
  await runSuccessfully(['forget', 'id:111', '--yes', '--db', path]);
  await runSuccessfully(['lake', 'ship', '--once', '--db', path]);
  const blocks = Array.from(page.matchAll(/```sql\n([^]*?)```/g), ([, block]) => block!.trim().replace(/;$/, ''));
  const [followers, remembered] = await Promise.all(blocks.map((block) => askDuckDb(lake, ...block.split(/;\n/))));
  expect(followers).toHaveLength(9);
  const ids = remembered!.flat();
  expect(ids).toContain('112');
  expect(ids).not.toContain('111');
});
