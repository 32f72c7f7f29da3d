import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseQueryFile } from '#analysis/queries/query-file.ts';
import { KIND_NAMES } from '#service/kinds/kinds.ts';

const VALID = `/*
title: Which tweets got the most likes?
topic: Tweets
description: |
  A row is a tweet.
  The numbers are those that were seen last.
parameters:
  account: { type: account, description: the author }
  since: { type: time, default: null, description: only tweets from this time on }
  period: { type: choice, values: [day, week], default: week, description: the width of a bin }
  least: { type: integer, min: 0, max: 100, default: 10, description: likes }
needs:
  - { kind: timeline, of: account, lists: 0 }
  - { items: tweets }
chart: { mark: bars, x: text, y: likes }
example: { account: HarbourNews, least: 1 }
*/

select text, likes -- of :nobody
from t where a = :account and ':since' <> :since and b->>'$.period' = $period and likes >= @least;
`;

const parse = (text: string, name = 'top-tweets') =>
  parseQueryFile(text, { name, file: `${name}.sql`, isBuiltIn: false });

/** The place of a text in a file: `line:column`. */
function placeOf(mark: string, text: string): string {
  expect(text, mark).toContain(mark);
  const before = text.slice(0, text.indexOf(mark)).split('\n');
  return `${before.length}:${before.at(-1)!.length + 1}`;
}

test('a query file has a description and a statement', () => {
  const { query, problems } = parse(VALID);
  expect(problems).toEqual([]);
  expect(query).toEqual({
    name: 'top-tweets',
    file: 'top-tweets.sql',
    isBuiltIn: false,
    title: 'Which tweets got the most likes?',
    topic: 'Tweets',
    description: 'A row is a tweet.\nThe numbers are those that were seen last.',
    parameters: [
      { name: 'account', type: 'account', description: 'the author' },
      { name: 'since', type: 'time', default: null, description: 'only tweets from this time on' },
      { name: 'period', type: 'choice', values: ['day', 'week'], default: 'week', description: 'the width of a bin' },
      { name: 'least', type: 'integer', min: 0, max: 100, default: 10, description: 'likes' },
    ],
    needs: [
      { kinds: ['timeline'], of: 'account', lists: 0 },
      { kinds: [], items: 'tweets' },
    ],
    chart: { mark: 'bars', x: 'text', y: 'likes' },
    example: { account: 'HarbourNews', least: 1 },
    sql: VALID.slice(VALID.indexOf('select'), VALID.lastIndexOf(';')),
  });
});

test('a query may have no parameters, needs, chart and example', () => {
  const { query } = parse('/* { title: How many?, topic: T, description: D } */ select 1');
  expect(query).toMatchObject({ parameters: [], needs: [], chart: undefined, example: {}, sql: 'select 1' });
});

test('line ends of Windows and a byte order mark are read', () => {
  expect(parse(`\uFEFF${VALID.replaceAll('\n', '\r\n')}`).problems).toEqual([]);
});

/** A change of the valid file; and the problems: the text where each is found, and its message. */
type Case = readonly [
  problem: string,
  change: readonly [from: string | RegExp, to: string],
  ...found: (readonly [mark: string, message: string])[],
];

const CASES: readonly Case[] = [
  ['no description', [/^[^]*$/, 'select 1'], ['select', 'a query file begins with its description: /* title: … */']],
  ['an open comment', [/^[^]*$/, '/* title: x'], ['/*', 'a query file begins with its description: /* title: … */']],
  [
    'no map',
    [/^[^]*$/, '/*text*/ select 1'],
    ['text', 'the description is a map, with keys such as title: and parameters:'],
  ],
  ['a missing key', [/^topic.*\n/m, ''], ['title', 'topic is missing: a heading of one line, such as People']],
  [
    'an unknown key',
    ['topic:', 'subject: x\ntopic:'],
    ['subject', 'unknown key "subject"; there are title, topic, description, parameters, needs, chart, example'],
  ],
  [
    'an unknown key of a parameter',
    ['min: 0', 'from: 0'],
    ['from: 0', 'unknown key "from"; there are type, description, default, min, max, values'],
  ],
  [
    'an unknown type',
    ['type: time', 'type: date'],
    ['date', 'type should be one of account, tweet, search, job, panel, text, time, integer, choice; not "date"'],
  ],
  [
    'an unknown kind',
    ['kind: timeline', 'kind: tweets'],
    ['tweets, of', `kind should be one of ${KIND_NAMES.join(', ')}, or a list of them; not "tweets"`],
  ],
  [
    'an unknown mark',
    ['mark: bars', 'mark: pie'],
    ['pie', 'mark should be one of line, columns, bars, points, heatmap; not "pie"'],
  ],
  [
    'an id that YAML cannot hold',
    ['least: 1 }', 'least: 12345678901234567890 }'],
    [
      '12345678901234567890',
      'example should be a map of texts and whole numbers by parameter (write ids in quotes); not 12345678901234567000',
    ],
  ],
  [
    'a name that no option can have',
    [/\bleast\b/g, 'Least'],
    [
      'Least: {',
      '"Least" cannot be a parameter: use lower-case letters, digits and _, at most 31, not no_ at the start',
    ],
  ],
  [
    'an option of every query',
    [/\bleast\b/g, 'json'],
    ['json: {', '--json is an option of every query: rename the parameter'],
  ],
  [
    'bounds of a text',
    ['integer', 'text'],
    ['min: 0', 'min goes with the type integer'],
    ['max: 100', 'max goes with the type integer'],
  ],
  [
    'a choice of nothing',
    ['values: [day, week], ', ''],
    ['period: {', 'values is missing: a list of texts'],
    ['week, description', 'default should be one of '],
  ],
  ['a default that is no choice', ['default: week', 'default: year'], ['year', 'default should be one of day, week']],
  [
    'a default beyond the bounds',
    ['default: 10', 'default: 101'],
    ['101', 'default should be a whole number from 0 to 100'],
  ],
  [
    'a need of two things',
    ['{ items: tweets }', '{ items: tweets, kind: search }'],
    ['{ items: tweets', 'a need has either kind: or items:'],
  ],
  [
    'a need of an unknown parameter',
    ['of: account', 'of: handle'],
    ['{ kind: timeline', 'of: there is no parameter handle'],
  ],
  [
    'a need of a parameter that is no account',
    ['of: account', 'of: least'],
    ['{ kind: timeline', 'of: least is of the type integer, and timeline needs account'],
  ],
  [
    'an example of an unknown parameter',
    ['least: 1 }', 'most: 17 }'],
    ['17', 'example: most should be the value of a parameter'],
  ],
  [
    'an example without a required value',
    ['account: HarbourNews, ', ''],
    ['{ least: 1', 'example has no value of account, which has no default'],
  ],
  [
    'a parameter without a description',
    ['@least', ':most'],
    ['least: {', 'the statement does not use :least'],
    [':most', ':most is not among the parameters of the description'],
  ],
  [
    'a parameter without a name',
    ['@least', '@least + ?1'],
    ['?1', 'a parameter needs a name: write :name instead of ?'],
  ],
];

describe('a problem is found where it is:', () => {
  test.each(CASES.map(([problem, ...rest]) => [problem, rest] as const))('%s', (_, [[from, to], ...found]) => {
    const text = VALID.replace(from, to);
    expect(text).not.toBe(VALID);
    const { problems } = parse(text);
    expect(problems.map(({ line, column, message }) => `${line}:${column}: ${message}`)).toEqual(
      found.map(([mark, message]) => `${placeOf(mark, text)}: ${message}`),
    );
  });

  test('no statement', () => {
    const { problems } = parse(VALID.slice(0, VALID.indexOf('select')));
    expect(problems.map(({ message }) => message)).toEqual([
      ...['account', 'since', 'period', 'least'].map((name) => `the statement does not use :${name}`),
      'there is no statement after the description',
    ]);
  });

  test('YAML that cannot be read', () => {
    const { problems } = parse(VALID.replace('topic: Tweets', 'topic: Tweets: all'));
    expect(problems).toEqual([
      { line: 3, column: expect.any(Number) as number, message: expect.stringContaining('not YAML: ') as string },
    ]);
  });

  test('a name that is no name', () => {
    const [problem] = parse(VALID, 'top tweets').problems;
    expect(problem?.message).toBe(
      '"top tweets" cannot be the name of a query: rename the file to letters, digits, - and _, at most 64',
    );
  });
});

test('any text has a query or problems, each within the text', () => {
  const part = fc.oneof(
    fc.constantFrom(
      '/*',
      '*/',
      '\n',
      'parameters:',
      '  account: {',
      '}',
      '[',
      'type: choice',
      ': ',
      '- ',
      ':x',
      "'",
      '&a *a',
    ),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
  );
  const changed = fc
    .tuple(fc.nat(VALID.length), fc.nat(40), fc.array(part, { maxLength: 4 }))
    .map(([at, length, parts]) => VALID.slice(0, at) + parts.join('') + VALID.slice(at + length));
  fc.assert(
    fc.property(changed, (text) => {
      const { query, problems } = parse(text);
      expect(query === undefined).toBe(problems.length > 0);
      const lines = text.split('\n');
      for (const { line, column } of problems) {
        expect(line).toBeLessThanOrEqual(lines.length);
        expect(column).toBeLessThanOrEqual(lines[line - 1]!.length + 1);
      }
    }),
    { numRuns: 500 },
  );
});
