import { and, eq, isNull, sql } from 'drizzle-orm';
import { MINUTE } from '../../base/clock.ts';
import { formatDay } from '../../base/units.ts';
import { mergeColumns, takeSum } from '../merge/merge-rules.ts';
import type { Budget, RequestEntry } from '../schema/commit-messages.ts';
import type { RunBudget, SpentRequests } from '../schema/query-results.ts';
import { crawls, runUsageByDay, runs } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileStatement, bound } from '../sqlite/statement.ts';
import { isInTrees } from './crawl-conditions.ts';

/** Runs and their usage, stored in the transaction of each page, so that a crash cannot exceed a budget. */
export type Runs = ReturnType<typeof prepareRuns>;

export function prepareRuns(db: Db) {
  const spend = compileStatement(
    db
      .insert(runUsageByDay)
      .select(
        sql`select ${bound.day}, ${crawls.runId}, ${bound.requests}, ${bound.unknown}
          from ${crawls} where ${crawls.id} = ${bound.crawlId} and ${crawls.runId} is not null`,
      )
      .onConflictDoUpdate({
        target: [runUsageByDay.day, runUsageByDay.runId],
        set: mergeColumns(runUsageByDay, ['requests', 'unknownRequests'], takeSum),
      }),
  );
  return {
    createRun(at: number, { perRun, perDay }: Budget, job?: { name: string; problem: string | null }): number {
      const limits = { maxRequests: perRun, maxRequestsPerDay: perDay };
      const row = { jobName: job?.name, error: job?.problem, createdAt: at, ...limits };
      return db.insert(runs).values(row).returning({ id: runs.id }).get().id;
    },

    /** Assigns an unfinished crawl and its descendants to the latest run that requests it. */
    assignRun(crawlId: number, runId: number): void {
      db.update(crawls)
        .set({ runId })
        .where(and(isInTrees([crawlId]), isNull(crawls.finishedAt)))
        .run();
    },

    countRequests(crawlId: number, requests: readonly RequestEntry[]): void {
      const days = new Map<string, number>();
      for (const day of requests.map(({ at }) => formatDay(at))) days.set(day, (days.get(day) ?? 0) + 1);
      for (const [day, n] of days) spend.run({ crawlId, day, requests: n, unknown: 0 });
    },

    /** Counts the maximum of requests that a killed worker has sent, on the day of their detection. */
    countUnknownRequests(crawlId: number, at: number, unknown: number): void {
      spend.run({ crawlId, day: formatDay(at), requests: 0, unknown });
    },
  };
}

const NOTHING_SPENT: SpentRequests = { requests: 0, unknown: 0, inFlight: [] };
/** The longest time between the lease or the last page of a crawl and its next request. */
const STEP_MS = 60 * MINUTE;

/** Prepares reading the limits and the usage of a run. */
export function prepareBudgets(db: Db): (runId: number, day: string) => RunBudget | undefined {
  const limits = { job: runs.jobName, perRun: runs.maxRequests, perDay: runs.maxRequestsPerDay };
  const find = compileStatement(db.select(limits).from(runs).where(eq(runs.id, bound.runId)));
  const total = {
    requests: sql<number>`coalesce(sum(${runUsageByDay.requests}), 0)`,
    unknown: sql<number>`coalesce(sum(${runUsageByDay.unknownRequests}), 0)`,
  };
  const inFlight = (of: string) =>
    db.$client
      .prepare<[object], [number, number, number]>(
        // The index of crawls in flight is short, however many runs a job has had.
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
  const inRun = compileStatement(db.select(total).from(runUsageByDay).where(eq(runUsageByDay.runId, bound.runId)));
  const isRunOfJob = sql`case when ${bound.job} is null then ${runs.id} = ${bound.runId} else ${runs.jobName} = ${bound.job} end`;
  const isOnDay = and(eq(runs.id, runUsageByDay.runId), eq(runUsageByDay.day, bound.day));
  const onDay = compileStatement(db.select(total).from(runUsageByDay).innerJoin(runs, isOnDay).where(isRunOfJob));
  return (runId, day) => {
    const found = find.get({ runId }) as [string | null, number | null, number | null] | undefined;
    if (!found) return undefined;
    const [job, perRun, perDay] = found;
    return {
      job,
      perRun,
      perDay,
      inRun: perRun === null ? NOTHING_SPENT : spent(inRun.get({ runId }), inFlightOfRun.all({ runId })),
      onDay:
        perDay === null
          ? NOTHING_SPENT
          : spent(
              onDay.get({
                runId,
                job,
                day,
              }),
              inFlightOnDay.all({
                runId,
                job,
                since: Date.parse(day) - STEP_MS,
              }),
            ),
    };
  };
}
