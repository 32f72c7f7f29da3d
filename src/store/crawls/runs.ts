import { and, eq, isNull, sql } from 'drizzle-orm';
import { dayOf, MINUTE } from '../../clock.ts';
import type { Budget, RequestEntry } from '../schema/messages.ts';
import type { RunBudget, SpentRequests } from '../schema/query-results.ts';
import { crawls, runUsageByDay, runs } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileStatement } from '../sqlite/statement.ts';
import { isInTrees } from './crawl-tree.ts';

/** Runs and what they spent, within the transaction of the page that says so: so no crash makes a budget larger. */
export function prepareRuns(db: Db) {
  const spend = compileStatement(
    db
      .insert(runUsageByDay)
      .select(
        sql`select ${sql.placeholder('day')}, ${crawls.runId}, ${sql.placeholder('requests')}, ${sql.placeholder('unknown')}
          from ${crawls} where ${crawls.id} = ${sql.placeholder('crawlId')} and ${crawls.runId} is not null`,
      )
      .onConflictDoUpdate({
        target: [runUsageByDay.day, runUsageByDay.runId],
        set: {
          requests: sql`${runUsageByDay.requests} + excluded.requests`,
          unknownRequests: sql`${runUsageByDay.unknownRequests} + excluded.unknown_requests`,
        },
      }),
  );
  return {
    createRun(at: number, { perRun, perDay }: Budget, job?: string): number {
      const row = {
        jobName: job ?? null,
        createdAt: at,
        maxRequests: perRun ?? null,
        maxRequestsPerDay: perDay ?? null,
      };
      return db.insert(runs).values(row).returning({ id: runs.id }).get().id;
    },

    /** An unfinished crawl that is asked for again, with what came of it: the newest word counts. */
    assignRun(crawlId: number, runId: number): void {
      db.update(crawls)
        .set({ runId })
        .where(and(isInTrees([crawlId]), isNull(crawls.finishedAt)))
        .run();
    },

    countRequests(crawlId: number, requests: readonly RequestEntry[]): void {
      const days = new Map<string, number>();
      for (const { at } of requests) days.set(dayOf(at), (days.get(dayOf(at)) ?? 0) + 1);
      for (const [day, n] of days) spend.run({ crawlId, day, requests: n, unknown: 0 });
    },

    /**
     * Counts requests that may have been sent for a crawl, at most, on the day when that is noticed: they were not sent
     * later than that, so no budget of a day that lasts is too large.
     */
    countUnknownRequests(crawlId: number, at: number, unknown: number): void {
      spend.run({ crawlId, day: dayOf(at), requests: 0, unknown });
    },
  };
}

const NOTHING_SPENT: SpentRequests = { requests: 0, unknown: 0, inFlight: [] };
/** How late at night a request may still be sent whose lease was taken, or whose last page was stored, the day before. */
const STEP_MS = 60 * MINUTE;

/** Reads a run's budget as the store knows it. */
export function prepareBudgets(db: Db): (runId: number, day: string) => RunBudget | undefined {
  const find = compileStatement(
    db
      .select({ job: runs.jobName, perRun: runs.maxRequests, perDay: runs.maxRequestsPerDay })
      .from(runs)
      .where(eq(runs.id, sql.placeholder('runId'))),
  );
  const total = {
    requests: sql<number>`coalesce(sum(${runUsageByDay.requests}), 0)`,
    unknown: sql<number>`coalesce(sum(${runUsageByDay.unknownRequests}), 0)`,
  };
  const inFlight = (of: string) =>
    db.$client
      .prepare<[object], [number, number, number]>(
        // Few crawls are at work: their index is read through, however many runs a job has had.
        `select c.id, c.in_flight_requests, c.finished_at is not null from crawls c indexed by crawls_in_flight_requests
         cross join runs r on r.id = c.run_id where c.in_flight_requests > 0 and ${of}`,
      )
      .raw();
  const inFlightOfRun = inFlight('c.run_id = @runId');
  const inFlightOnDay = inFlight(
    'case when @job is null then c.run_id = @runId else r.job_name = @job end and c.updated_at >= @since',
  );
  const spent = (row: unknown, under: readonly [number, number, number][]): SpentRequests => {
    const [requests, unknown] = row as [number, number];
    const crawlsInFlight = under.map(([crawlId, n, ended]) => ({ crawlId, requests: n, hasEnded: ended === 1 }));
    return { requests, unknown, inFlight: crawlsInFlight };
  };
  const inRun = compileStatement(
    db
      .select(total)
      .from(runUsageByDay)
      .where(eq(runUsageByDay.runId, sql.placeholder('runId'))),
  );
  const onDay = compileStatement(
    db
      .select(total)
      .from(runUsageByDay)
      .innerJoin(runs, eq(runs.id, runUsageByDay.runId))
      .where(
        and(
          eq(runUsageByDay.day, sql.placeholder('day')),
          sql`case when ${sql.placeholder('job')} is null then ${runs.id} = ${sql.placeholder('runId')} else ${runs.jobName} = ${sql.placeholder('job')} end`,
        ),
      ),
  );
  return (runId, day) => {
    const found = find.get({ runId }) as [string | null, number | null, number | null] | undefined;
    if (!found) return undefined;
    const [job, perRun, perDay] = found;
    return {
      ...{ job, perRun, perDay },
      inRun: perRun === null ? NOTHING_SPENT : spent(inRun.get({ runId }), inFlightOfRun.all({ runId })),
      onDay:
        perDay === null
          ? NOTHING_SPENT
          : spent(onDay.get({ runId, job, day }), inFlightOnDay.all({ runId, job, since: Date.parse(day) - STEP_MS })),
    };
  };
}
