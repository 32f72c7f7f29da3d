import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseFind } from '#analysis/find/search-query.ts';
import { parseQueryFile } from '#analysis/queries/query-file.ts';
import { ContractError, TrawlError } from '#base/errors.ts';
import { parsePanelFile } from '#cli/panel/import.ts';
import { parseJobFile } from '#crawl/jobs/job-file.ts';
import { createFactFile, readFactFile } from '#lake/files/fact-file.ts';
import { JsonBodyError, parseJsonBody } from '#service/contract/json-body.ts';
import { parseTarget } from '#service/kinds/target.ts';
import { type PageRequest, parsePage } from '#store/normalise/parse-page.ts';
import { readFaultPlan } from '#twin/faults/fault-plan-file.ts';
import { followers, profile, reference, timeline } from '../engine/support.ts';
import { tempFile } from '../support/temp.ts';
import { mutated, mutatedBytes } from './mutations.ts';

/** Files and texts of users, and responses, changed at random: each is read or refused with an error that says why. PROPERTY_RUNS sets the number of cases. */

const root = join(import.meta.dirname, '../..');
const readAll = (folder: string, extension: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(extension))
    .map((name) => readFileSync(join(root, folder, name), 'utf8'));

/** Returns what a function returns; undefined for an error with a message that is expected. Other errors fail the test. */
function attempt<T>(read: () => T, errors: readonly (new (...args: never[]) => Error)[] = [TrawlError]): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!errors.some((type) => error instanceof type) || (error as Error).message.trim() === '') throw error;
    return undefined;
  }
}

const check = (corpus: readonly string[], property: (text: string) => void): void =>
  fc.assert(fc.property(mutated(corpus), property), { numRuns: 400 });

const TARGETS = {
  account: ['nasa', '@nasa', 'id:11348282', 'https://example.org/nasa', 'İstanbul_12', '@@x', '-'],
  tweet: ['1234567890', 'id:12', 'https://example.org/nasa/status/123?x=1#y'],
  list: ['1234567890', 'https://example.org/i/lists/42'],
  community: ['id:77', 'https://example.org/i/communities/42'],
  query: ['"climate change" #cop from:un since:2025-01-01', 'tea -coffee OR café'],
} as const;

test.each(Object.entries(TARGETS))(
  'a target of the type %s is refused, or its canonical form is final',
  (type, corpus) => {
    check(corpus, (text) => {
      const found = attempt(() => parseTarget('crawl', type as keyof typeof TARGETS, text));
      if (!found) return;
      const again = parseTarget(
        'crawl',
        type as keyof typeof TARGETS,
        type === 'account' || type === 'query' ? found.target : `id:${found.target}`,
      );
      expect(again.target).toBe(found.target);
    });
  },
);

test('the CSV file of a panel is refused, or each of its accounts has a target', () => {
  const corpus = [
    'rest_id,handle,note\n11348282,nasa,"a, b"\n1,,x\n',
    'handle;note\nnasa;"say ""hi"""\n@esa;\n',
    '\ufeffrest_id\thandle\n123456789012345678\tX\n1.23E+18\ty\n',
  ];
  check(corpus, (text) => {
    for (const { account } of attempt(() => parsePanelFile(text))?.rows ?? [])
      expect(parseTarget('panel', 'account', account.target).target).toBe(account.target);
  });
});

const READERS: Readonly<Record<string, readonly [corpus: readonly string[], read: (text: string) => unknown]>> = {
  'a job file': [readAll('jobs', '.yaml'), (text) => parseJobFile(text, 'job.yaml')],
  'a fault plan': [readAll('faults', '.yaml'), (text) => readFaultPlan(text, 'plan.yaml')],
  'a saved query': [
    readAll('queries', '.sql'),
    (text) => parseQueryFile(text, { name: 'query', file: 'query.sql', isBuiltIn: false }),
  ],
  'a search': [
    ['"climate change" #cop from:un since:2025-01-01', 'tea -coffee OR "green tea" min_likes:5'],
    (text) => parseFind(text, { isForUsers: false }),
  ],
};

test.each(Object.entries(READERS))('%s is read or refused, the same each time', (_, [corpus, read]) => {
  check(corpus, (text) => {
    const readOrRefuse = () => JSON.stringify(attempt(() => read(text)));
    expect(readOrRefuse()).toEqual(readOrRefuse());
  });
});

const NASA = reference('1', 'nasa');
const PAGES: readonly (readonly [PageRequest, object])[] = [
  [{ endpoint: 'user-profile', value: 'nasa' }, profile('1', 'nasa')],
  [{ endpoint: 'followers', value: '1' }, followers(NASA, [{ ...reference('2', 'ada'), followers_count: 3 }], 'c1')],
  [{ endpoint: 'user-tweets', value: '1' }, timeline(NASA, ['5@3', '4@2'], 'c1')],
];

test.each(PAGES)(
  'a response to %o is a page or an error of the contract, and the same each time',
  (request, answer) => {
    const parse = (text: string) => parsePage(parseJsonBody(Buffer.from(text)), request);
    const body = JSON.stringify(answer);
    expect(parse(body).rows.rejects).toEqual([]);
    check([body], (text) => {
      const parseOrRefuse = () => attempt(() => parse(text), [JsonBodyError, ContractError]);
      expect(parseOrRefuse()).toEqual(parseOrRefuse());
    });
  },
);

test('a file of facts with other bytes is refused, or has the same facts', async () => {
  const path = tempFile('facts.jsonl.br');
  const file = createFactFile(path, 'store-1');
  for (let entry = 1; entry < 50; entry += 1)
    await file.add(
      entry,
      entry % 3 === 0 ? null : entry,
      JSON.stringify({
        edge_sightings: [
          [entry, 'a', 'b'],
          ['x'.repeat(entry), null, 1],
        ],
      }),
    );
  await file.finish();
  const bytes = readFileSync(path);
  const readLines = async (content: Uint8Array): Promise<unknown[] | undefined> => {
    const lines: unknown[] = [];
    try {
      for await (const line of readFactFile(content, 'store-1')) lines.push(line);
      return lines;
    } catch {
      // Nothing of it was used before its digest was checked.
      return lines.length === 0 ? undefined : lines;
    }
  };
  const expected = await readLines(bytes);
  expect(expected).toHaveLength(49);
  await fc.assert(
    fc.asyncProperty(mutatedBytes([bytes]), async (changed) => {
      expect([undefined, expected]).toContainEqual(await readLines(changed));
    }),
    { numRuns: 200 },
  );
});
