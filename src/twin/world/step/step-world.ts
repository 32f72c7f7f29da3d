import { DAY } from '#base/clock.ts';
import { TrawlError } from '#base/errors.ts';
import { createSeededRandom } from '#base/seeded-random.ts';
import { toIso } from '#base/units.ts';
import { prepareSearchIndex } from '#store/merge/full-text-index.ts';
import type { Db } from '#store/sqlite/database.ts';
import { prepareEdgeEvents } from './edge-events.ts';
import { type EventKind, scheduleEvents } from './event-rates.ts';
import { createPopulation } from './population.ts';
import { prepareProfileEvents, suspendAccounts } from './profile-events.ts';
import { type WorldChanges, createChangeRecorder, type StepContext, updateCounts } from './step-context.ts';
import { prepareTweetEvents } from './tweet-events.ts';

export interface StepOptions {
  readonly db: Db;
  /** How long the step lasts, in whole days. */
  readonly days: number;
  /** The same state of the world, days and seed give the same changes. */
  readonly seed: number;
}

export interface WorldStep {
  /** The times of the world before and after the step, ISO 8601. */
  readonly from: string;
  readonly to: string;
  readonly days: number;
  readonly seed: number;
  readonly changes: WorldChanges;
}

/** Until this time, ids of tweets have at most 19 digits. */
const LAST_TIME = Date.UTC(2079, 0, 1);

/**
 * Advances a world by some days, in one transaction: a twin that serves it shows all changes or none. All state is read from
 * the store.
 * @throws TrawlError if the store holds crawls or no world, or if the step ends after 2078
 */
export function stepWorld({ db, days, seed }: StepOptions): WorldStep {
  return db.$client
    .transaction(() => {
      requireWorld(db);
      const from = readWorldTime(db);
      const to = from + days * DAY;
      if (to > LAST_TIME) {
        throw new TrawlError('a world cannot advance beyond the year 2078', {
          hint: 'Choose fewer --days, or create a new world.',
        });
      }
      const changes = takeStep(db, { days, seed, from, to });
      prepareSearchIndex(db)();
      return { from: toIso(from), to: toIso(to), days, seed, changes };
    })
    .immediate();
}

function takeStep(
  db: Db,
  {
    days,
    seed,
    from,
    to,
  }: { readonly days: number; readonly seed: number; readonly from: number; readonly to: number },
): WorldChanges {
  const random = createSeededRandom(seed, `step from ${from}`);
  const population = createPopulation(db);
  const context: StepContext = { db, random, population, changes: createChangeRecorder(), from, to };
  suspendAccounts(context, days);
  const handlers: Readonly<Record<EventKind, (at: number) => void>> = {
    ...prepareTweetEvents(context),
    ...prepareEdgeEvents(context),
    ...prepareProfileEvents(context),
  };
  for (const { kind, at } of scheduleEvents(random, { accounts: population.size, from, days })) handlers[kind](at);
  updateCounts(context);
  // At the end of a step, all users count as seen.
  db.$client.prepare('update _user_last_seen set last_seen_at = ?, last_summary_at = ?').run(to, to);
  return context.changes.finish();
}

/** Returns the time up to which a world has been generated, in milliseconds UTC. */
function readWorldTime(db: Db): number {
  return db.$client
    .prepare<[], number>(
      `select max(coalesce((select max(last_seen_at) from _user_last_seen), 0),
         coalesce((select max(created_at) from tweets), 0))`,
    )
    .pluck()
    .get()!;
}

function requireWorld(db: Db): void {
  const isFilled = (table: string): boolean => db.$client.prepare(`select 1 from ${table} limit 1`).get() !== undefined;
  if (isFilled('crawls')) {
    throw new TrawlError('the database holds crawls: it is not a world', {
      hint: 'Name a file that `trawl twin world create` made: synthetic changes must not get into crawled data.',
    });
  }
  if (!isFilled('users')) {
    throw new TrawlError('the database holds no world', {
      hint: 'Create one with `trawl twin world create --db <file>`.',
    });
  }
}
