import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { UsageError } from '#base/errors.ts';
import { loadFaultPlan, readFaultPlan } from '#twin/faults/fault-plan-file.ts';
import { describeRule, faultTable } from '#twin/faults/fault-table.ts';
import { PAGE, publishedSchema, renderFaults, SCHEMA_FILE } from '../../scripts/fault-plans.ts';

const PLANS = resolve(import.meta.dirname, '../../faults');

function mistakesOf(text: string): string[] {
  try {
    readFaultPlan(text, 'plan.yaml');
    return [];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return error.message.split('\n  ').slice(1);
  }
}

describe('a fault plan', () => {
  it('reports every error with its line, column and the allowed values', () => {
    const text = `- { fault: html, every: 0 }
- fault: server-error
  status: 404
  retryAfter: date
  at: [3, x]
- { fault: htlm }
- every: 10
- html
- { fault: cycle-cursors, endpoints: [followers, search] }
- { fault: html, endpoints: [folowers] }
- { fault: html, burst: { every: 3 } }
- { fault: html, burst: { every: 3, length: 4 }, after: 9, until: 5 }
- { fault: lose-entries }
- { fault: too-many-requests, retryAfter: soon, rate: 5% }`;
    expect(mistakesOf(text)).toEqual([
      'plan.yaml:1:25: every should be an integer from 1: 10 is the 10th, the 20th and so on; not 0',
      'plan.yaml:3:11: status should be a status from 500 to 599; not 404',
      expect.stringMatching(/^plan.yaml:4:3: unknown key "retryAfter"; there are fault, endpoints, .*, status$/),
      'plan.yaml:5:11: at should be an integer from 1; not "x"',
      expect.stringMatching(/^plan.yaml:6:12: unknown fault "htlm"; the faults are move-entries, .*, html, /),
      expect.stringMatching(/^plan.yaml:7:3: fault is missing: one of /),
      'plan.yaml:8:3: a rule is a map such as { fault: html, every: 10 }',
      'plan.yaml:9:50: cycle-cursors applies to user-tweets, followers, following only',
      expect.stringMatching(/^plan.yaml:10:\d+: endpoints should be a list of token-info, .*; not "folowers"$/),
      expect.stringMatching(/^plan.yaml:11:25: length is missing: an integer from 1: /),
      'plan.yaml:12:45: length should not be more than every',
      'plan.yaml:12:67: until should be more than after, which is 9',
      expect.stringMatching(/^plan.yaml:13:12: lose-entries loses data .* set lossy: true/),
      'plan.yaml:14:43: retryAfter should be the form of Retry-After: none, seconds or date; not "soon"',
      'plan.yaml:14:55: rate should be the share of requests, from 0 to 1; chosen by the seed; not "5%"',
    ]);
  });

  it.each([
    ['nothing', '', '1:1: a fault plan is a list of rules'],
    ['a map', 'fault: html', '1:1: a fault plan is a list of rules'],
    ['no YAML', '- { fault: html', '1:16: not YAML: '],
    ['a key twice', '- { fault: html, every: 1, every: 2 }', '1:28: not YAML: '],
  ])('of %s is reported', (_, text, expected) => {
    expect(mistakesOf(text)[0]).toContain(`plan.yaml:${expected}`);
  });

  it('with any content never crashes the parser', () => {
    const keys = fc.constantFrom(
      'fault',
      'endpoints',
      'burst',
      'at',
      'rate',
      'lossy',
      '__proto__',
      'toString',
      'x/y~z',
    );
    const values = fc.oneof(
      fc.constantFrom('html', 'delay', 'toString', null, [], {}, { every: 1 }, [null], ['search']),
      fc.integer(),
    );
    const plans = fc.array(fc.oneof(fc.dictionary(keys, values), values));
    fc.assert(
      fc.property(plans, (plan) => {
        for (const mistake of mistakesOf(JSON.stringify(plan))) expect(mistake).toMatch(/^plan\.yaml:1:\d+: /);
      }),
    );
  });

  it('that is missing is reported, with the directory of examples', () => {
    expect(() => loadFaultPlan('/nowhere/plan.yaml')).toThrow(/cannot read the fault plan \/nowhere\/plan\.yaml/);
  });
});

describe('the plans in faults/', () => {
  const files = readdirSync(PLANS).filter((file) => file.endsWith('.yaml'));

  it.each(files)('%s is valid and names the schema', (file) => {
    expect(loadFaultPlan(join(PLANS, file)).length).toBeGreaterThan(0);
    expect(readFileSync(join(PLANS, file), 'utf8')).toMatch(
      /^# yaml-language-server: \$schema=\.\/plan\.schema\.json\n/,
    );
  });

  it.each(['flaky.yaml', 'nasty.yaml'])('%s has only faults that change no rows', (file) => {
    for (const { fault } of loadFaultPlan(join(PLANS, file))) expect(faultTable[fault].outcome, fault).toBe('same');
  });
});

test('a rule is described by its effect, endpoints and conditions', () => {
  const [rule] = readFaultPlan(
    '- { fault: html, endpoints: [search], every: 10, burst: { every: 3, length: 1 } }',
    'plan',
  );
  expect(describeRule(rule!)).toBe(
    'html at search { every: 10, burst: {every: 3, length: 1} }: A page of HTML in place of JSON, like that of a proxy or a login form.',
  );
});

test('the JSON schema and the page match the table', () => {
  const hint = 'renew them with: npm run faults:docs';
  expect(JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')), hint).toEqual(publishedSchema());
  const page = readFileSync(PAGE, 'utf8');
  expect(renderFaults(), hint).toBe(page);
});
