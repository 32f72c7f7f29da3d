import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const describe = (title: string, more: string, sql: string): string =>
  `/*\ntitle: ${title}\ntopic: Tests\ndescription: A row is a number.\n${more}\n*/\n${sql}\n`;

const NUMBERS = 'with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < :count)';

/** Texts that programs and pages may take for something else. */
export const HOSTILE_CELLS = [
  '=1+1',
  '<img src=x onerror=alert(1)>',
  '\u202Egnp.exe',
  'مرحبا "quoted", with\na line',
  '@SUM(A1)',
];

const QUERIES: Readonly<Record<string, string>> = {
  // It never ends.
  endless: describe(
    'What never ends?',
    '',
    'with recursive n(i) as (select 1 union all select i + 1 from n) select sum(i) as sum from n',
  ),
  many: describe(
    'Which numbers are there?',
    'parameters:\n  count: { type: integer, min: 1, max: 1000000, default: 25, description: how many }\nchart: { mark: line, x: i, y: square }',
    `${NUMBERS} select i, i * i as square, 'row ' || i as label from numbers`,
  ),
  rare: describe(
    'Which days have hits?',
    'chart: { mark: line, x: day, y: hits }',
    `with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < 30)
     select date('2025-01-01', '+' || i || ' days') as day, iif(i % 10, 0, i) as hits from numbers`,
  ),
  hostile: describe(
    'Which texts are hostile?',
    '',
    `select value as text, key as place from json_each('${JSON.stringify(HOSTILE_CELLS)}') order by key`,
  ),
  empty: describe(
    'What is nothing?',
    'parameters:\n  word: { type: text, description: any text }\nexample: { word: x }',
    'select :word as word where false',
  ),
  exact: describe(
    'Which value is exact?',
    '',
    `select 9007199254740993 as big, '007' as text, null as missing, 1.5 as real, x'00ff' as blob`,
  ),
  twice: describe(
    'Which value was given?',
    'parameters:\n  since: { type: time, default: null, description: a day }\n  size: { type: choice, values: [small, large], default: small, description: a size }',
    'select :since as since, :size as size',
  ),
};

/** Writes saved queries of a user into a folder; one of them is wrong. */
export function createQueryFolder(folder: string): void {
  for (const [name, text] of Object.entries(QUERIES)) writeFileSync(join(folder, `${name}.sql`), text);
  writeFileSync(join(folder, 'broken.sql'), '/*\ntitle: No topic\ndescription: A row is a number.\n*/ select 1');
}
