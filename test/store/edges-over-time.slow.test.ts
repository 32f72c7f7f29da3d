import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY } from '#base/clock.ts';
import type { CrawlEnd } from '#service/kinds/decide-end.ts';
import type { EdgeList, UserRow } from '#store/schema/normalised-rows.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import type { Store } from '#store/store.ts';
import { newStore, openLeased, pageOf, progressOf, readerOf, rows } from './support.ts';

type Side = EdgeList['side'];
const SERVED: CrawlEnd = { state: 'complete', ending: 'served' };

/** Begins a crawl of a list. The returned function stores its next page. */
async function beginList(store: Store, side: Side, of: string, startedAt: number, options = '{}') {
  const { id, lease } = await openLeased(store, startedAt, { kind: side, target: `id:${of}`, options });
  let pages = 0;
  /** The content of all pages, in place of their digest. */
  let sent = '';
  return async (at: number, others: readonly string[], end?: CrawlEnd, owner: Partial<UserRow> = {}) => {
    const users: UserRow[] = [
      { restId: of, detailLevel: 'reference', ...owner },
      ...others.map((restId): UserRow => ({ restId, detailLevel: 'summary', screenName: `s${restId}` })),
    ];
    sent += `${others.join(' ')}\n`;
    await store.write.commitPage(
      pageOf(id, lease, at, {
        listDigest: side === 'following' ? sent : undefined,
        requestCursor: pages === 0 ? null : String(pages),
        rows: rows({ users, follows: [{ side, owner: of, members: others }] }),
        requests: [{ endpoint: side, at, status: 200, ms: 1, bytes: 1 }],
        progress: progressOf({ cursor: String(++pages), targetRestId: of, items: others.length }),
        end,
      }),
    );
  };
}

/** A whole list on one page. */
async function list(
  store: Store,
  of: string,
  [startedAt, at]: readonly [number, number],
  others: readonly string[],
  more: { side?: Side; end?: CrawlEnd; owner?: Partial<UserRow> } = {},
): Promise<void> {
  const page = await beginList(store, more.side ?? 'followers', of, startedAt);
  const counted = { followers: 'followersCount', following: 'followingCount' } as const;
  const count = { detailLevel: 'summary', [counted[more.side ?? 'followers']]: others.length } as const;
  await page(at, others, more.end ?? SERVED, { ...count, ...more.owner });
}

const edgesOf = (store: Store): unknown[] =>
  readerOf(store)
    .prepare(
      `select r.rest_id || '>' || e.rest_id as edge, f.first_seen_at as first, f.last_seen_at as last, f.first_missed_at as missed, f.ended_at as ended
        from follows f join users r on r.id = f.follower_id join users e on e.id = f.followee_id order by f.id`,
    )
    .all();
const changesOf = (store: Store): unknown[] =>
  readerOf(store)
    .prepare(
      `select change || ' ' || follower_rest_id as what, substr(earliest_at, 21, 3) || '-' || substr(latest_at, 21, 3) as span
        from v_follow_changes order by latest_at, change desc, follower_rest_id`,
    )
    .all()
    .map((row) => Object.values(row as object).join(' '));
const edge = (
  name: string,
  first: number,
  last: number,
  missed: number | null = null,
  ended: number | null = null,
) => ({
  edge: name,
  first,
  last,
  missed,
  ended,
});

describe('an edge that a complete list lacks (invariant 7)', () => {
  it('is missing after one and ended after two in a row, between its last sighting and the end of the first', async () => {
    const store = newStore();
    await list(store, '1', [10, 12], ['2', '3']);
    await list(store, '1', [20, 22], ['2']);
    expect(edgesOf(store)).toEqual([edge('2>1', 12, 22), edge('3>1', 12, 12, 22)]);
    await list(store, '1', [30, 32], ['2']);
    expect(edgesOf(store)).toEqual([edge('2>1', 12, 32), edge('3>1', 12, 12, 22, 22)]);
    await list(store, '1', [40, 42], ['2']);
    expect(edgesOf(store)).toEqual([edge('2>1', 12, 42), edge('3>1', 12, 12, 22, 22)]);
    expect(
      readerOf(store).prepare('select started_at, finished_at, missed_count, ended_count from _list_snapshots').all(),
    ).toEqual([
      { started_at: 10, finished_at: 12, missed_count: 0, ended_count: 0 },
      { started_at: 20, finished_at: 22, missed_count: 1, ended_count: 0 },
      { started_at: 30, finished_at: 32, missed_count: 0, ended_count: 1 },
      { started_at: 40, finished_at: 42, missed_count: 0, ended_count: 0 },
    ]);
  });

  it('returns if it was only missing, and begins a new period if it had ended', async () => {
    const store = newStore();
    await list(store, '1', [10, 12], ['2', '3', '9']);
    await list(store, '1', [20, 22], ['9']);
    await list(store, '1', [30, 32], ['2', '3', '9']);
    await list(store, '1', [40, 42], ['9']);
    await list(store, '1', [50, 52], ['3', '9']);
    await list(store, '1', [60, 62], ['2', '3', '9']);
    expect(edgesOf(store)).toEqual([edge('2>1', 62, 62), edge('3>1', 12, 62), edge('9>1', 12, 62)]);
    expect(readerOf(store).prepare('select first_seen_at, last_seen_at, ended_at from follow_history').all()).toEqual([
      { first_seen_at: 12, last_seen_at: 32, ended_at: 42 },
    ]);
    expect(changesOf(store)).toEqual(['went 2 032-042', 'came 2 050-062']);
  });

  it.each<[string, CrawlEnd]>([
    ['a partial list', { state: 'partial', reason: 'max_pages' }],
    ['an end that was inferred', { state: 'capped', ending: 'inferred' }],
    ['a list that the crawl called closed or cut short', { state: 'capped', reason: 'list_closed', ending: 'served' }],
    ['a list of which items were set aside', { state: 'partial', reason: 'rejected_items', ending: 'served' }],
    ['a list that failed', { state: 'failed', reason: 'unreachable' }],
  ])('does not change after %s', async (_, end) => {
    const store = newStore();
    await list(store, '1', [10, 12], ['2', '3']);
    await list(store, '1', [20, 22], ['2'], { end });
    await list(store, '1', [30, 32], ['2'], { end });
    expect(edgesOf(store)).toEqual([edge('2>1', 12, 32), edge('3>1', 12, 12)]);
  });

  it('does not change if any list showed it after this one began', async () => {
    const store = newStore();
    const slow = await beginList(store, 'followers', '1', 10);
    await slow(11, ['2']);
    await list(store, '3', [12, 13], ['1'], { side: 'following' });
    await slow(14, ['4'], SERVED);
    expect(edgesOf(store)).toEqual([edge('2>1', 11, 11), edge('3>1', 13, 13), edge('4>1', 14, 14)]);
  });

  it('is not ended by a second list that began before the end of the first', async () => {
    const store = newStore();
    await list(store, '1', [10, 12], ['2']);
    const [one, two] = [
      await beginList(store, 'followers', '1', 20),
      await beginList(store, 'followers', '1', 21, '{"maxPages":9}'),
    ];
    const owner = { detailLevel: 'summary', followersCount: 1 } as const;
    await one(23, ['3'], SERVED, owner);
    await two(24, ['3'], SERVED, owner);
    expect(edgesOf(store)).toEqual([edge('2>1', 12, 12, 23), edge('3>1', 23, 24)]);
  });

  it('is ended by two lists that are stored in the other order', async () => {
    const store = newStore();
    await list(store, '1', [10, 12], ['2', '4']);
    const late = await beginList(store, 'followers', '1', 20, '{"maxPages":9}');
    await list(store, '1', [30, 32], ['4']);
    await late(22, ['4'], SERVED, { detailLevel: 'summary', followersCount: 1 });
    expect(edgesOf(store)).toEqual([edge('2>1', 12, 12, 22, 22), edge('4>1', 12, 32)]);
    expect(changesOf(store)).toContain('went 2 012-022');
  });

  it('can be missed by one of its two lists and ended by the other', async () => {
    const store = newStore();
    await list(store, '1', [10, 12], ['2']);
    await list(store, '2', [13, 14], ['1', '5'], { side: 'following' });
    await list(store, '1', [20, 22], ['3']);
    await list(store, '2', [30, 32], ['5'], { side: 'following' });
    expect(edgesOf(store)).toEqual([edge('2>1', 12, 14, 22, 22), edge('2>5', 14, 32), edge('3>1', 22, 22)]);
  });

  it('is not missed by a list of followed accounts that may have been cached before another sighting', async () => {
    const store = newStore();
    await list(store, '1', [10, 12], ['2']);
    await list(store, '2', [20, 22], ['5'], { side: 'following' });
    expect(edgesOf(store)).toEqual([edge('2>1', 12, 12), edge('2>5', 22, 22)]);
    await list(store, '2', [DAY + 20, DAY + 22], ['5'], { side: 'following' });
    expect(edgesOf(store)).toEqual([edge('2>1', 12, 12, DAY + 22), edge('2>5', 22, DAY + 22)]);
  });

  it('is not ended by a second list of followed accounts that may be a cached copy, but is a day later', async () => {
    const HOUR = DAY / 24;
    const at = (hours: number): [number, number] => [DAY + hours * HOUR, DAY + hours * HOUR + 2];
    const following = { side: 'following' } as const;
    const store = newStore();
    await list(store, '2', at(0), ['5', '1'], following);
    await list(store, '2', at(1), ['5'], following);
    const missed = edge('2>1', at(0)[1], at(0)[1], at(1)[1]);
    expect(edgesOf(store)).toContainEqual(missed);
    await list(store, '2', at(2), ['5'], following);
    await list(store, '2', at(24.9), ['5'], following);
    expect(edgesOf(store)).toContainEqual(missed);
    // Each was a copy of the one before at most, and this one cannot be a copy of the first.
    await list(store, '2', at(25), ['5'], following);
    expect(edgesOf(store)).toContainEqual({ ...missed, ended: at(1)[1] });
  });

  it('is ended by a second, different list of followed accounts at any time', async () => {
    const following = { side: 'following' } as const;
    const store = newStore();
    await list(store, '2', [10, 12], ['5', '1'], following);
    await list(store, '2', [20, 22], ['5'], following);
    await list(store, '2', [30, 32], ['6', '5'], following);
    expect(edgesOf(store)).toContainEqual(edge('2>1', 12, 12, 22, 22));
  });

  it('is not ended for a day if the bytes of one of the lists are unknown', async () => {
    const following = { side: 'following' } as const;
    const store = newStore();
    await list(store, '2', [10, 12], ['5', '1'], following);
    await list(store, '2', [20, 22], ['5'], following);
    const { $client } = openDatabase(store.path);
    $client.exec('update _list_snapshots set body_digest = null');
    $client.close();
    await list(store, '2', [30, 32], ['6', '5'], following);
    expect(edgesOf(store)).toContainEqual(edge('2>1', 12, 12, 22));
    await list(store, '2', [DAY + 20, DAY + 22], ['6', '5'], following);
    expect(edgesOf(store)).toContainEqual(edge('2>1', 12, 12, 22, 22));
  });

  it('is not missed by an empty list of an account with a count of followers', async () => {
    const store = newStore();
    const profile: Partial<UserRow> = { detailLevel: 'profile', followersCount: 1 };
    await list(store, '1', [10, 12], ['2'], { owner: profile });
    await list(store, '1', [20, 22], [], { owner: profile });
    expect(edgesOf(store)).toEqual([edge('2>1', 12, 12)]);
    await list(store, '1', [30, 32], [], { owner: { ...profile, followersCount: 0 } });
    expect(edgesOf(store)).toEqual([edge('2>1', 12, 12, 32)]);
  });

  it("is not missed by a list that is much shorter than the account's count", async () => {
    const store = newStore();
    const counts = (followersCount: number) => ({ owner: { detailLevel: 'profile', followersCount } as const });
    // The service shows only the newest three of many followers.
    await list(store, '1', [10, 12], ['4', '3', '2'], counts(8000));
    await list(store, '1', [20, 22], ['5', '4', '3'], counts(8001));
    await list(store, '1', [30, 32], ['6', '5', '4'], counts(8002));
    expect(edgesOf(store)).toEqual([
      edge('4>1', 12, 32),
      edge('3>1', 12, 22),
      edge('2>1', 12, 12),
      edge('5>1', 22, 32),
      edge('6>1', 32, 32),
    ]);
    expect(changesOf(store)).toEqual([]);
    // Without an accepted list, one may be missing.
    await list(store, '1', [40, 42], ['6', '5', '4', '3'], counts(8));
    expect(edgesOf(store)).toContainEqual(edge('2>1', 12, 12, 42));
  });

  it('is not missed if the clock went back during the list', async () => {
    const store = newStore();
    await list(store, '1', [10, 12], ['2', '3']);
    const listCrawl = await beginList(store, 'followers', '1', 30);
    await listCrawl(25, ['2']);
    await listCrawl(31, [], SERVED, { detailLevel: 'summary', followersCount: 1 });
    expect(edgesOf(store)).toEqual([edge('2>1', 12, 25), edge('3>1', 12, 12, 31)]);
  });

  it('that had ended is not changed by an older page that arrives late', async () => {
    const store = newStore();
    const late = await beginList(store, 'following', '2', 10);
    await list(store, '1', [11, 12], ['2']);
    await list(store, '1', [20, 22], ['3']);
    await list(store, '1', [30, 32], ['3']);
    await late(15, ['1'], SERVED);
    expect(edgesOf(store)[0]).toEqual(edge('2>1', 12, 15, 22, 22));
    await list(store, '1', [40, 42], ['2', '3']);
    const later = await beginList(store, 'following', '2', 41);
    await later(14, ['1'], { state: 'partial', reason: 'max_pages' });
    expect(edgesOf(store)[0]).toEqual(edge('2>1', 42, 42));
  });
});

describe('new and ended followers', () => {
  it('followers of the first list have no start; those new in a later list came since the previous one', async () => {
    const store = newStore();
    await list(store, '1', [10, 12], ['2', '3']);
    await list(store, '1', [20, 22], ['2', '4']);
    await list(store, '1', [30, 32], ['2', '4', '5'], { end: { state: 'partial', reason: 'max_pages' } });
    await list(store, '1', [40, 42], ['2', '4', '5']);
    expect(changesOf(store)).toEqual(['went 3 012-022', 'came 4 010-022', 'came 5 020-032']);
  });
});

/** A step of the property: time passes, and a page of one of several lists is stored. */
const PEOPLE = ['1', '2', '3'];
const step = fc.record({
  wait: fc.constantFrom(0, 1, 1, 1, DAY),
  crawl: fc.nat(3),
  others: fc.subarray(PEOPLE),
  end: fc.constantFrom<(CrawlEnd | undefined)[]>(
    undefined,
    SERVED,
    SERVED,
    SERVED,
    { state: 'capped', ending: 'inferred' },
    { state: 'partial', reason: 'max_pages' },
  ),
});
const LISTS = [
  ['followers', '1'],
  ['followers', '1'],
  ['following', '2'],
  ['following', '3'],
] as const;

it('unfollows follow from the evidence of both lists, in any order (invariant 7)', async () => {
  const store = newStore();
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 30 }), async (steps) => {
      // Each run has its own users.
      const run = `${++runs}.`;
      let now = 1;
      let countedAt = 0;
      const crawls = new Map<number, { startedAt: number; page: Awaited<ReturnType<typeof beginList>> }>();
      const sightings: { edge: string; at: number; side: Side }[] = [];
      const complete: { side: Side; of: string; startedAt: number; finishedAt: number; size: number; sent: string }[] =
        [];
      const shown = new Map<number, Set<string>>();
      // Each account has an accepted list, and counts that agree with all lists but empty ones.
      const counted = (side: Side, count: number): Partial<UserRow> => ({
        detailLevel: 'summary',
        [side === 'followers' ? 'followersCount' : 'followingCount']: count,
      });
      for (const [side, owner] of LISTS.slice(1))
        await (
          await beginList(store, side, run + owner, 0)
        )(0, [], SERVED, counted(side, 0));
      const sent = new Map<number, string>();
      for (const { wait, crawl, others, end } of steps) {
        // Of two counts of one instant, neither is the later one.
        now += now === countedAt && end ? Math.max(1, wait) : wait;
        const [side, owner] = LISTS[crawl]!;
        const of = run + owner;
        let listCrawl = crawls.get(crawl);
        if (!listCrawl) {
          listCrawl = { startedAt: now, page: await beginList(store, side, of, now, `{"maxPages":${crawl}}`) };
          crawls.set(crawl, listCrawl);
          shown.set(crawl, new Set());
          sent.set(crawl, '');
        }
        const accounts = shown.get(crawl)!;
        // A list that shows an account twice, while others show more, may be said to be cut short: then it is no evidence.
        const added = others.filter((person) => !accounts.has(person));
        for (const other of added) accounts.add(other);
        const listed = added.map((person) => run + person);
        await listCrawl.page(now, listed, end, end && counted(side, accounts.size || 1));
        sent.set(crawl, `${sent.get(crawl)}${JSON.stringify(added)}`);
        for (const other of listed)
          sightings.push({ edge: side === 'followers' ? `${other}>${of}` : `${of}>${other}`, at: now, side });
        if (!end) continue;
        crawls.delete(crawl);
        countedAt = now;
        if (end === SERVED)
          complete.push({
            side,
            of,
            startedAt: listCrawl.startedAt,
            finishedAt: now,
            size: accounts.size,
            sent: sent.get(crawl)!,
          });
      }
      for (const row of (edgesOf(store) as ReturnType<typeof edge>[]).filter((one) => one.edge.startsWith(run))) {
        const last = sightings.findLast((one) => one.edge === row.edge)!;
        // If both sides showed it at one instant, the list of followed accounts counts: a later one without it is no cached copy.
        const isListed = sightings.some(
          ({ edge: seen, at, side }) => seen === row.edge && at === last.at && side === 'following',
        );
        const [follower, followee] = row.edge.split('>');
        // An empty list is no evidence beside another count than 0.
        const lacking = complete.filter(
          ({ side, of, startedAt, size }) =>
            size > 0 &&
            of === (side === 'followers' ? followee : follower) &&
            (side === 'followers' || isListed ? last.at : last.at + DAY) < startedAt,
        );
        const missed = lacking[0]?.finishedAt ?? null;
        // Equal lists of followed accounts within a day may be one cached answer.
        const first = lacking[0];
        const isCopy = (one: (typeof complete)[number]): boolean =>
          one.side === 'following' &&
          first?.side === 'following' &&
          one.sent === first.sent &&
          one.startedAt - first.startedAt < DAY;
        const isEnded = missed !== null && lacking.slice(1).some((one) => one.startedAt > missed && !isCopy(one));
        expect(row, JSON.stringify({ lacking, last })).toMatchObject({
          last: last.at,
          missed,
          ended: isEnded ? missed : null,
        });
      }
    }),
    { numRuns: 150 },
  );
});
