import { expect, test } from 'vitest';
import { parseYaml } from '#base/yaml-file.ts';
import { parseJobFile } from '#crawl/jobs/job-file.ts';
import { readFaultPlan } from '#twin/faults/fault-plan-file.ts';

const DEEP = 60_000;

test.each([
  ['brackets', `targets: ${'['.repeat(DEEP)}${']'.repeat(DEEP)}`],
  ['brackets that are never closed', '['.repeat(DEEP)],
  ['maps in a line', '{a: '.repeat(DEEP)],
  ['dashes in a line', `${'- '.repeat(DEEP)}x`],
  ['indentation', Array.from({ length: 3000 }, (_, i) => `${' '.repeat(i)}-`).join('\n')],
  ['keys', `${'? '.repeat(DEEP)}x`],
])('a file that is nested by %s deeper than the limit is one problem', (_, text) => {
  const mistake = { line: 1, column: 1, message: 'nested too deeply: more than 100 levels' };
  expect(parseYaml(text).problem).toEqual(mistake);
  expect(parseJobFile(text, 'deep').problems).toEqual([mistake]);
  expect(() => readFaultPlan(text, 'plan.yaml')).toThrow('nested too deeply');
});

test('brackets in texts, and consecutive lists, are no nesting', () => {
  const text = `name: "${'['.repeat(200)}"\nlists:\n${'  - [a, {b: c}]\n'.repeat(200)}`;
  expect(parseYaml(text).problem).toBeUndefined();
});
