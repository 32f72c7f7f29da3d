import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readCatalogue } from '#analysis/queries/catalogue.ts';
import { parseQueryFile } from '#analysis/queries/query-file.ts';
import { createQueryCommand } from '#cli/query/run.ts';
import { PAGE, renderQueries } from '../../scripts/query-docs.ts';

const page = readFileSync(PAGE, 'utf8');
const guide = readFileSync('docs/questions.md', 'utf8');
const { queries, problems } = readCatalogue().readAll();

test('every query of trawl is valid', () => {
  expect(problems).toEqual([]);
  expect(queries.length).toBeGreaterThan(1);
});

test('docs/reference/queries.md has the present queries (npm run docs:queries)', () => {
  expect(renderQueries()).toBe(page);
});

test('the file that docs/questions.md shows is valid', () => {
  const [, text] = /```sql\n(\/\*\ntitle: [^]*?)```/.exec(guide)!;
  expect(parseQueryFile(text!, { name: 'example', file: 'example.sql', isBuiltIn: false }).problems).toEqual([]);
});

test('the commands of docs/reference/queries.md have the parameters of their queries', () => {
  const commands = [...page.matchAll(/^npx trawl query run (\S+)(.*)$/gm)].map(([, name, args]) => ({
    name: name!,
    args: args!.split(' '),
  }));
  expect(commands.length).toBeGreaterThanOrEqual(queries.length);
  for (const { name, args } of commands) {
    const query = queries.find((each) => each.name === name);
    expect(query, name).toBeDefined();
    const options = createQueryCommand(query!).options.flatMap(({ long, short }) => [long, short]);
    expect(args.filter((word) => word.startsWith('-') && !options.includes(word))).toEqual([]);
  }
});
