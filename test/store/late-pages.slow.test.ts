import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DAY } from '#base/clock.ts';
import type { EdgeList, UserRow } from '#store/schema/normalised-rows.ts';
import type { Store } from '#store/store.ts';
import { newStore, openLeased, pageOf, progressOf, readerOf, rows } from './support.ts';

/** A list on one page: requested at a time, and stored at another. */
interface Visit {
  readonly side: EdgeList['side'];
  readonly of: string;
  readonly others: readonly string[];
  readonly at: number;
  readonly storedAt: number;
  /** Whether the service ended the list. */
  readonly isComplete: boolean;
}

const PEOPLE = ['1', '2', '3'];
const HOUR = DAY / 24;

/**
 * Lists whose requests are in order. Each is stored at once, or after one or two later ones. A store does not keep the
 * sightings within a period, so that a page that three others overtake may come too late to show an end (decision 62).
 */
const visits = fc
  .array(
    fc.record({
      side: fc.constantFrom<EdgeList['side'][]>('followers', 'followers', 'following'),
      of: fc.constantFrom(...PEOPLE),
      others: fc.subarray(PEOPLE),
      wait: fc.constantFrom(100, HOUR, DAY / 2, 2 * DAY),
      overtaken: fc.constantFrom(0, 0, 0, 1, 2),
      isComplete: fc.constantFrom(true, true, true, false),
    }),
    { minLength: 4, maxLength: 24 },
  )
  .map((steps) => {
    const times = steps.reduce<number[]>((all, { wait }) => [...all, (all.at(-1) ?? 10 * DAY) + wait], []);
    return steps.map(({ side, of, overtaken, isComplete, ...step }, i): Visit => {
      const others = step.others.filter((other) => other !== of);
      // No two times are equal, so that the order is never in doubt.
      const storedAt = overtaken === 0 ? times[i]! : (times[i + overtaken] ?? times.at(-1)!) + 1 + i;
      return { side, of, others, isComplete, at: times[i]!, storedAt };
    });
  });

/** Stores a list whose last request was sent when it is stored. */
async function storeVisit(store: Store, run: string, { side, of, others, at, storedAt, isComplete }: Visit) {
  const { id, lease } = await openLeased(store, at, { kind: side, target: `id:${run}${of}` });
  const members = others.map((other) => run + other);
  const users: UserRow[] = [
    // A list is evidence if it loses no more than one account beside one count, and is not empty.
    { restId: run + of, detailLevel: 'profile', followersCount: 5, followingCount: 5 },
    ...members.map((restId): UserRow => ({ restId, detailLevel: 'summary' })),
  ];
  await store.write.commitPage(
    pageOf(id, lease, at, {
      listDigest: side === 'following' ? members.join(' ') : undefined,
      rows: rows({ users, follows: [{ side, owner: run + of, members }] }),
      requests: [at, storedAt].map((time) => ({ endpoint: side, at: time, status: 200, ms: 1, bytes: 1 })),
      progress: progressOf({ targetRestId: run + of, items: members.length }),
      end: isComplete ? { state: 'complete', ending: 'served' } : { state: 'partial', reason: 'max_pages' },
    }),
  );
}

interface Period {
  readonly first: number;
  readonly last: number;
  readonly missed: number | null;
  readonly ended: number | null;
  readonly seenIn: number;
}

/** What the sightings of an edge and all complete lists prove, whatever the order in which they were stored (decision 13). */
function periodsOf(follower: string, followee: string, all: readonly Visit[]): Period[] {
  const showsEdge = ({ side, of, others }: Visit): boolean =>
    side === 'followers' ? of === followee && others.includes(follower) : of === follower && others.includes(followee);
  const sightings = all.filter(showsEdge);
  const lists = all.filter(
    ({ side, of, others, isComplete }) =>
      isComplete && others.length > 0 && of === (side === 'followers' ? followee : follower),
  );
  const periods: Period[] = [];
  let first = sightings[0]?.at;
  for (const [i, { side, at }] of sightings.entries()) {
    const next = sightings[i + 1]?.at ?? Infinity;
    const lacking = lists
      .filter((list) => list.at > (list.side === 'following' && side === 'followers' ? at + DAY : at))
      .filter(({ storedAt }) => storedAt < next)
      .sort((a, b) => a.storedAt - b.storedAt);
    const missed = lacking[0];
    const isCopy = (list: Visit): boolean =>
      list.side === 'following' &&
      lists.some(
        (other) =>
          other.side === 'following' &&
          other.storedAt === missed!.storedAt &&
          other.at > list.at - DAY &&
          other.others.join(' ') === list.others.join(' '),
      );
    const isEnded = lacking.some((list) => list.at > missed!.storedAt && !isCopy(list));
    if (next < Infinity && !isEnded) continue;
    const ended = isEnded ? missed!.storedAt : null;
    const seenIn = side === 'followers' ? 0 : 1;
    periods.push({ first: first!, last: at, missed: missed?.storedAt ?? null, ended, seenIn });
    first = next;
  }
  return periods;
}

it('pages that are stored late change edges as if they had been stored in time (invariants 6 and 7)', async () => {
  const store = newStore();
  const columns =
    'f.first_seen_at as first, f.last_seen_at as last, first_missed_at as missed, ended_at as ended, last_seen_in as seenIn';
  const named =
    'join users r on r.id = f.follower_id join users e on e.id = f.followee_id where r.rest_id = ? and e.rest_id = ?';
  const db = readerOf(store);
  const findEdge = db.prepare(`select ${columns} from follows f ${named}`);
  const findEarlier = db.prepare(
    `select f.first_seen_at as first, f.last_seen_at as last, ended_at as missed, ended_at as ended
       from follow_history f ${named} order by f.first_seen_at`,
  );
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(visits, async (all) => {
      // Each run has its own users.
      const run = `${++runs}.`;
      for (const visit of all.toSorted((a, b) => a.storedAt - b.storedAt)) await storeVisit(store, run, visit);
      for (const follower of PEOPLE)
        for (const followee of PEOPLE) {
          if (follower === followee) continue;
          const expected = periodsOf(follower, followee, all);
          const edge = [run + follower, run + followee];
          const current = expected.pop();
          expect(findEdge.get(edge), edge.join(' > ')).toEqual(current);
          expect(findEarlier.all(edge), edge.join(' > ')).toEqual(
            expected.map(({ first, last, missed, ended }) => ({ first, last, missed, ended })),
          );
        }
    }),
    { numRuns: 150 },
  );
});
