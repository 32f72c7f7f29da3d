import type Database from 'better-sqlite3';
import { type KindName } from '#service/kinds/kinds.ts';
import { judgeRun } from './oracle/oracle.ts';
import type { Disturbance, Plan } from './plan.ts';
import { type Failure, simulate } from './run.ts';
import type { StorePool } from './stores.ts';

/** A crawl, and the points at which its worker can die. */
export interface Subject {
  readonly kind: KindName;
  readonly plan: Plan;
  readonly pages: number;
  readonly events: number;
  readonly statements: number;
  /** The final rows without a crash. */
  readonly remains: string;
}

/** A point at which a worker dies, between two events or in a statement, or a statement that finds a full disk. */
export type Point = { readonly event: number } | { readonly statement: number } | { readonly full: number };

const MANY_PAGES = 3;

/** Returns a crawl of a kind that has three pages, or one if there is only one. */
export async function findSubject(kind: KindName, pool: StorePool): Promise<Subject> {
  for (let size = 1; size < 20; size++) {
    for (let target = 0; target < 9; target++) {
      const plan = planOf(kind, size, target);
      let statements = 0;
      const run = await simulate(plan, pool, { hook: () => () => void (statements += 1) });
      const { pages, state } = pool.db.prepare('select pages, state from crawls where id = 1').get() as {
        pages: number;
        state: string;
      };
      const isEnough = pages === MANY_PAGES || (pages === 1 && (kind === 'profile' || kind === 'tweet'));
      if (!isEnough || !['complete', 'capped'].includes(state) || judgeRun(run, pool.db).length > 0) continue;
      return { kind, plan, pages, events: run.events, statements, remains: remainsIn(pool.db) };
    }
  }
  throw new Error(`no crawl of ${kind} takes ${MANY_PAGES} pages`);
}

function planOf(kind: KindName, page: number, target: number): Plan {
  // With child crawls, which are committed with a page.
  const options = kind === 'followers' ? { then: ['profile'], maxTargets: 2 } : {};
  return {
    seed: 1,
    size: {
      accounts: 9,
      posts: 60,
      edges: 40,
      groups: 1,
    },
    traits: {
      page,
      single: page,
      end: 'none',
      pinned: 'moved',
      people: 'newest first',
      moreCursors: true,
      emptyIs404: true,
      sparse: 10,
    },
    quota: {
      limit: 1e4,
      windowMs: 9e5,
      sliding: true,
    },
    reserve: 5,
    processes: 1,
    slots: 1,
    acts: [
      {
        at: 5,
        what: 'crawl',
        kind,
        target,
        byId: false,
        options,
        priority: 'interactive',
      },
    ],
    changes: [],
    faults: [],
    disturbances: [],
    strangers: [],
  };
}

/** Returns the final rows without times and row ids. */
function remainsIn(db: Database.Database): string {
  const all = (sql: string): unknown[] => db.prepare(sql).raw().all();
  return JSON.stringify([
    all(
      `select kind, target, options, state, reason, ending, pages, items, target_rest_id from crawls order by kind, target`,
    ),
    all(`select rest_id, screen_name, name, description, followers_count, statuses_count from users order by rest_id`),
    all(`select rest_id, text, created_at, favorite_count, has_media from tweets order by rest_id`),
    all(`select a.rest_id, b.rest_id, f.ended_at from follows f join users a on a.id = f.follower_id
      join users b on b.id = f.followee_id order by 1, 2`),
    all(`select query, rest_id, rank from search_hits join searches s on s.id = search_id join tweets t on t.id = tweet_id
      order by 1, 2`),
    all(`select endpoint, parameters, hash from raw_pages order by 1, 2`),
  ]);
}

/** Runs a subject whose worker dies at each of the points, and returns failures. */
export async function crashAt(
  { plan, remains }: Subject,
  points: readonly Point[],
  pool: StorePool,
): Promise<Failure[]> {
  const disturbances = points.map((point): Disturbance => {
    if ('event' in point) return { after: point.event, what: 'kill', which: 0, span: 0 };
    if ('full' in point) return { after: 0, what: 'disk full', which: 0, span: point.full };
    return { after: 0, what: 'kill in a statement', which: 0, span: point.statement };
  });
  const run = await simulate({ ...plan, disturbances: disturbances.toSorted((a, b) => a.after - b.after) }, pool);
  const failures = judgeRun(run, pool.db);
  if (failures.length === 0 && remainsIn(pool.db) !== remains) {
    failures.push({ invariant: 'invariant 1', message: `it left ${remainsIn(pool.db)}, not ${remains}` });
  }
  if (run.kills < 1 && !points.some((point) => 'full' in point))
    failures.push({ invariant: 'the harness', message: 'no process was killed' });
  return failures;
}

export const pointsOf = ({ events, statements }: Subject): Point[] => [
  ...Array.from({ length: events - 1 }, (_, i) => ({ event: i + 1 })),
  ...Array.from({ length: statements }, (_, i) => ({ statement: i })),
  ...Array.from({ length: statements }, (_, i) => ({ full: i })),
];

export const pairsOf = ({ events }: Subject): Point[][] =>
  Array.from({ length: events - 1 }, (_, i) => i + 1).flatMap((first) =>
    Array.from({ length: events }, (_, i) => [{ event: first }, { event: first + 1 + i }]),
  );
