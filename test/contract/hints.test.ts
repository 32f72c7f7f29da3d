import { describe, expect, it } from 'vitest';
import { readPage } from '#service/contract/wire-page.ts';

const user = { id: '1', rest_id: '1', name: 'a', screen_name: 'a' };
const entries = [{ entryId: 'user-2', sortIndex: '1', content: { user: { id: '2', next: 'x', cursor: 'y' } } }];

interface Places {
  readonly body?: object;
  readonly data?: object;
  readonly timeline?: object;
  readonly instruction?: object;
  readonly headers?: object;
}

/** Reads a page of followers with more keys in some places. */
const read = ({ body, data, timeline, instruction, headers = {} }: Places) =>
  readPage(
    'followers',
    {
      data: { user, followers: { timeline: { instructions: [{ entries, ...instruction }], ...timeline } }, ...data },
      ...body,
    },
    { status: 200, headers: JSON.stringify(headers) },
  );

describe('a hint that a list goes on', () => {
  it.each([
    ['nextCursor', 'abc', 'abc'],
    ['next_cursor', 'abc', 'abc'],
    ['next', 'abc', 'abc'],
    ['after', 'abc', 'abc'],
    ['next_max_id', '12', '12'],
    ['pageToken', 'abc', 'abc'],
    ['endcursor', 'abc', 'abc'],
    ['meta', { next_token: 'abc' }, 'abc'],
    ['pagination', { next: 'abc' }, 'abc'],
    ['pageInfo', { hasNextPage: true }, null],
    ['has_more', true, null],
    ['hasMore', 1, null],
    ['more', 'true', 'true'],
    ['cursors', ['abc'], 'abc'],
    ['cursors', [{ cursorType: 'Bottom', value: 'abc' }], 'abc'],
    ['next', { cursor: 'abc' }, 'abc'],
    ['next', {}, null],
    ['next_offset', 20, null],
  ] as const)('is a key %s with the value %j', (key, value, text) => {
    const places = [{ body: { [key]: value } }, { data: { [key]: value } }, { timeline: { [key]: value } }];
    for (const place of [...places, { instruction: { [key]: value } }])
      expect(read(place).hints).toEqual([expect.objectContaining({ value: text })]);
  });

  it.each([
    ['next', null],
    ['has_more', false],
    ['more', 0],
    ['next_cursor', '0'],
    ['next_cursor', '-1'],
    ['next_cursor', ''],
    ['next_cursor', -1],
    ['cursors', []],
    ['cursors', [null, '']],
    ['retry_after', 30],
    ['next', { value: null }],
    ['next', { cursorType: 'Top', value: 'abc' }],
    ['previous_cursor', 'abc'],
    ['topCursor', 'abc'],
    ['token_type', 'bearer'],
    ['request_id', 'abc'],
    ['context', 'abc'],
    ['afternoon', 'abc'],
    ['count', 20],
    ['includes', { users: [{ id: '3', next: 'abc' }] }],
  ])('is not %s with the value %j', (key, value) => {
    for (const place of ['body', 'data', 'timeline', 'instruction'])
      expect(read({ [place]: { [key]: value } }).hints).toEqual([]);
  });

  it.each([
    [{ link: '<https://api.example/followers?restId=1&cursor=abc>; rel="next"' }, 'abc'],
    [{ link: '</followers?cursor=abc>; rel=next, </followers>; rel="first"' }, 'abc'],
    [{ link: '<https://api.example/followers?page=2>; rel="next"' }, null],
    [{ 'x-next-cursor': 'abc' }, 'abc'],
    [{ 'x-has-more': 'true' }, null],
  ])('is a header %j', (headers, value) => {
    expect(read({ headers }).hints).toEqual([expect.objectContaining({ value })]);
  });

  it.each([
    [{ link: '<https://api.example/>; rel="prev"' }],
    [{ 'retry-after': '7' }],
    [{ 'x-rate-limit-retry-after': '7' }],
    [{ 'x-has-more': 'false' }],
    [{ 'content-type': 'application/json' }],
  ])('is not a header %j', (headers) => {
    expect(read({ headers }).hints).toEqual([]);
  });
});

it.each(['abc', { value: 'abc', cursorType: 'Bottom' }])('a cursor beside data is a hint: %j', (cursor) => {
  expect(read({ body: { cursor } }).hints).toEqual([{ name: 'body.cursor', value: 'abc' }]);
});

it('every unknown key of envelope, timeline and instruction is drift, and no key of an item', () => {
  const page = read({
    body: { request_id: 'r' },
    data: { a: 1 },
    timeline: { b: 2 },
    instruction: { c: 3, type: 'd' },
  });
  expect(page.drift.map(({ field }) => field).toSorted()).toEqual([
    'body.request_id (unknown key)',
    'data.a (unknown key)',
    'followers.timeline.b (unknown key)',
    'instruction.c (unknown key)',
    'instruction.type (unknown key)',
  ]);
});

describe('a response is incomplete', () => {
  const statusOf = (status: number) =>
    readPage(
      'followers',
      { data: { user, followers: { timeline: { instructions: [{ entries }] } } } },
      { status, headers: '{}' },
    );

  it.each([
    { body: { errors: [{ message: 'timeout' }] } },
    { data: { errors: ['partial failure'] } },
    { body: { status: 'error' } },
    { body: { status: 'partial' } },
    { body: { status: 500 } },
    { body: { success: false } },
    { body: { success: 'false' } },
    { body: { partial: true } },
    { data: { incomplete: true } },
    { timeline: { partial: true } },
    { data: { user: null } },
    { data: { user: undefined } },
    { instruction: { moduleItems: [{ item: { user: { id: '9' } } }] } },
    { timeline: { instructions: [{ entries }, { type: 'Unknown', users: [{ id: '9' }] }] } },
  ])('%j', (place) => {
    expect(read(place).incomplete).toEqual(expect.any(String));
  });

  it.each([204, 205, 206, 207])('by its status %i', (status) => {
    expect(statusOf(status).incomplete).toBe(`status ${status}`);
  });

  it.each([
    {},
    { body: { errors: [] } },
    { body: { errors: null } },
    { body: { status: 'ok', success: true, partial: false } },
    { body: { status: 200, meta: { request_id: 'r' } } },
    { data: { status: 'error', success: false } },
    { instruction: { type: 'TimelineAddEntries' } },
  ])('but not by %j', (place) => {
    expect(read(place).incomplete).toBeUndefined();
  });

  it.each([201, 202, 203, 208, 226])('nor by its status %i, which is drift', (status) => {
    expect(statusOf(status)).toMatchObject({ incomplete: undefined, drift: [{ field: `status ${status}` }] });
  });
});
