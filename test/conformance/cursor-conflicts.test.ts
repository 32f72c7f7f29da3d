import { expect, test } from 'vitest';
import { instructionOf, type PagedEndpoint, removeCursor } from './cursor-shapes.ts';
import { createLists, LENGTH } from './lists.ts';
import { cursorEntry, type Hook, type Json, serveData } from './scripted-service.ts';
import { createCrawler, idsOf } from './support.ts';

const object = (value: unknown, cursorType = 'Bottom'): Json => ({ cursor: { value, cursorType } });
const topEntry = { ...cursorEntry('x'), entryId: 'cursor-top-1', content: { value: 'up', cursorType: 'Top' } };
/** Where a wrong cursor leads: a page that the service shows for no cursor of its own. */
const WRONG = 'elsewhere';

interface Arrangement {
  readonly name: string;
  /** Whether the service contradicts itself, which `drift` shall show. */
  readonly isConflict: boolean;
  /** Arranges cursors in a page whose next cursor, if any, is `next`. */
  arrange(list: Json, endpoint: PagedEndpoint, next: string | undefined): void;
}

const instructions = (list: Json): Json[] => list['instructions'];
const documented = (to: Json, endpoint: PagedEndpoint, value: unknown): void => {
  if (endpoint === 'user-tweets') to['entries'].push(cursorEntry(value));
  else Object.assign(to, object(value));
};
const undocumented = (to: Json, endpoint: PagedEndpoint, value: unknown): void => {
  if (endpoint === 'user-tweets') Object.assign(to, object(value));
  else to['entries'].push(cursorEntry(value));
};

const ARRANGEMENTS: readonly Arrangement[] = [
  {
    name: 'a Top cursor in an instruction after that with the Bottom cursor',
    isConflict: false,
    arrange(list, endpoint, next) {
      if (next !== undefined) documented(instructions(list)[0]!, endpoint, next);
      instructions(list).push({ entries: [], ...object(WRONG, 'Top') });
    },
  },
  {
    name: 'a Top cursor in an instruction before that with the Bottom cursor',
    isConflict: false,
    arrange(list, endpoint, next) {
      if (next !== undefined) documented(instructions(list)[0]!, endpoint, next);
      instructions(list).unshift({ entries: [], ...object(WRONG, 'Top') });
    },
  },
  {
    name: 'a cursor-top entry before the Bottom cursor',
    isConflict: false,
    arrange(list, endpoint, next) {
      instructions(list)[0]!['entries'].unshift(topEntry);
      if (next !== undefined) documented(instructions(list)[0]!, endpoint, next);
    },
  },
  {
    name: 'a cursor of another type beside the Bottom cursor',
    isConflict: false,
    arrange(list, endpoint, next) {
      if (next === undefined) return;
      documented(instructions(list)[0]!, endpoint, next);
      instructions(list).push({ entries: [], ...object(WRONG, 'ShowMoreThreads') });
    },
  },
  {
    name: 'another cursor in a place that is not documented',
    isConflict: true,
    arrange(list, endpoint, next) {
      if (next === undefined) return;
      documented(instructions(list)[0]!, endpoint, next);
      undocumented(instructions(list)[0]!, endpoint, WRONG);
    },
  },
  {
    name: 'an empty cursor in the documented place and one in another',
    isConflict: false,
    arrange(list, endpoint, next) {
      documented(instructions(list)[0]!, endpoint, '');
      if (next !== undefined) undocumented(instructions(list)[0]!, endpoint, next);
    },
  },
];

/** Rearranges the cursors of each page of an account: those of `ids[n]` as `arrangements[n]` says. */
const rearrange = (endpoint: PagedEndpoint, ids: readonly string[], arrangements: readonly Arrangement[]): Hook => {
  return (call, next) => {
    const answer = next();
    const arrangement = arrangements[ids.indexOf(String(call.parameters['restId']))];
    if (call.endpoint !== endpoint || answer.status !== 200 || !arrangement) return answer;
    const before = structuredClone(instructionOf(endpoint, answer));
    const entry = before['entries'].find(({ entryId }: Json) => String(entryId).startsWith('cursor-'));
    removeCursor(endpoint, answer);
    const { data } = answer.body as Json;
    const { timeline } = endpoint === 'user-tweets' ? data : data[endpoint];
    arrangement.arrange(timeline, endpoint, before['cursor']?.value ?? entry?.content.value);
    return answer;
  };
};

const KINDS = [
  { kind: 'followers', endpoint: 'followers' },
  { kind: 'following', endpoint: 'following' },
  { kind: 'timeline', endpoint: 'user-tweets' },
] as const;

test.each(KINDS)(
  'a crawl of $kind reads every list to its end, whatever stands beside the cursor',
  async ({ kind, endpoint }) => {
    const { owners, ...data } = createLists(ARRANGEMENTS.length);
    const ids = idsOf(owners);
    const service = await serveData(data, { pageSize: 5, hook: rearrange(endpoint, ids, ARRANGEMENTS) });
    const crawler = createCrawler(service);

    const { code, summary } = await crawler.crawl(kind, ...ids.map((id) => `id:${id}`));

    const actual = ARRANGEMENTS.map(({ name }, n) => {
      const { state, reason, items } = summary['crawls'].find(({ targetRestId }: Json) => targetRestId === ids[n]);
      const claim = `select is_complete from v_completeness where kind = '${kind}' and target_rest_id = '${ids[n]}'`;
      return { name, state, reason, items, isComplete: crawler.value(claim) };
    });
    const expected = { state: 'complete', reason: null, items: LENGTH, isComplete: 1 };
    expect(actual).toEqual(ARRANGEMENTS.map(({ name }) => ({ name, ...expected })));
    expect(code).toBe(0);
    expect(service.calls.filter(({ parameters }) => parameters['cursor'] === WRONG)).toEqual([]);
  },
);

test.each(KINDS)('two different cursors in one page of $kind are drift', async ({ kind, endpoint }) => {
  const conflict = ARRANGEMENTS.filter(({ isConflict }) => isConflict);
  const { owners, ...data } = createLists(1);
  const service = await serveData(data, { pageSize: 5, hook: rearrange(endpoint, idsOf(owners), conflict) });
  const crawler = createCrawler(service);

  await crawler.crawl(kind, `id:${owners[0]!.id}`);

  expect(crawler.rows("select distinct endpoint from _drift where lower(field) like '%cursor%'")).toEqual([
    { endpoint },
  ]);
});
