import { and, isNull, sql } from 'drizzle-orm';
import { MINUTE } from '#base/clock.ts';
import { formatDay } from '#base/units.ts';
import { mergeColumns, takeSum } from '#store/merge/merge-rules.ts';
import type { Budget, RequestEntry } from '#store/schema/commit-messages.ts';
import type { RunBudget, SpentRequests } from '#store/schema/query-results.ts';
import { crawls, runUsageByDay, runs } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { compileStatement, bound } from '#store/sqlite/statement.ts';
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
export function prepareBudgets({ $client }: Db): (runId: number, day: string) => RunBudget | undefined {
  const find = $client.prepare<[number], Pick<RunBudget, 'job' | 'perRun' | 'perDay'>>(
    'select job_name as job, max_requests as perRun, max_requests_per_day as perDay from runs where id = ?',
  );
  // The index of crawls in flight is short, however many runs a job has had.
  const prepareSpent = (usage: string, crawls: string) => {
    const total = $client.prepare<[object], Pick<SpentRequests, 'requests' | 'unknown'>>(
      `select coalesce(sum(requests), 0) as requests, coalesce(sum(unknown_requests), 0) as unknown
       from _run_usage_by_day join runs r on r.id = run_id where ${usage}`,
    );
    const inFlight = $client.prepare<[object], { crawlId: number; requests: number; hasEnded: 0 | 1 }>(
      `select c.id as crawlId, c.in_flight_requests as requests, c.finished_at is not null as hasEnded
       from crawls c indexed by crawls_in_flight_requests cross join runs r on r.id = c.run_id
       where c.in_flight_requests > 0 and ${crawls}`,
    );
    return (of: object): SpentRequests => ({
      ...total.get(of)!,
      inFlight: inFlight.all(of).map((crawl) => ({ ...crawl, hasEnded: crawl.hasEnded === 1 })),
    });
  };
  const isOfJob = 'iif(@job is null, r.id = @runId, r.job_name = @job)';
  const readRun = prepareSpent('run_id = @runId', 'c.run_id = @runId');
  const readDay = prepareSpent(`day = @day and ${isOfJob}`, `${isOfJob} and c.updated_at >= @since`);
  return (runId, day) => {
    const limits = find.get(runId);
    if (!limits) return undefined;
    const { job, perRun, perDay } = limits;
    const since = Date.parse(day) - STEP_MS;
    return {
      ...limits,
      inRun: perRun === null ? NOTHING_SPENT : readRun({ runId }),
      onDay: perDay === null ? NOTHING_SPENT : readDay({ runId, job, day, since }),
    };
  };
}
