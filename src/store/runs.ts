import { and, eq, isNull, sql } from 'drizzle-orm';
import { DAY } from '../clock.ts';
import type { Db } from './database.ts';
import { withFamily } from './family.ts';
import type { Budget, RequestEntry } from './messages.ts';
import { crawls, runDays, runs } from './schema.ts';
import { compile } from './statement.ts';

/** The day of a time: days since 1970, UTC. */
export const dayOf = (at: number): number => Math.floor(at / DAY);

/** Runs and what they spent, within the transaction of the page that says so: so no crash makes a budget larger. */
export function prepareRuns(db: Db) {
  const spend = compile(
    db,
    db
      .insert(runDays)
      .select(
        sql`select ${sql.placeholder('day')}, ${crawls.runId}, ${sql.placeholder('requests')} from ${crawls}
          where ${crawls.id} = ${sql.placeholder('crawlId')} and ${crawls.runId} is not null`,
      )
      .onConflictDoUpdate({
        target: [runDays.day, runDays.runId],
        set: { requests: sql`${runDays.requests} + excluded.requests` },
      }),
  );
  return {
    begin(at: number, { perRun, perDay }: Budget, job?: string): number {
      const row = { job: job ?? null, madeAt: at, perRun: perRun ?? null, perDay: perDay ?? null };
      return db.insert(runs).values(row).returning({ id: runs.id }).get().id;
    },

    /** An unfinished crawl that is asked for again, with what came of it: the newest word counts. */
    enter(crawlId: number, runId: number): void {
      db.update(crawls)
        .set({ runId })
        .where(and(withFamily([crawlId]), isNull(crawls.finishedAt)))
        .run();
    },

    spend(crawlId: number, requests: readonly RequestEntry[]): void {
      const days = new Map<number, number>();
      for (const { at } of requests) days.set(dayOf(at), (days.get(dayOf(at)) ?? 0) + 1);
      for (const [day, n] of days) spend.run({ crawlId, day, requests: n });
    },
  };
}

/** What a run may spend, and has spent: it and, of a day, all runs of its job. */
export interface RunBudget {
  readonly job: string | null;
  readonly perRun: number | null;
  readonly perDay: number | null;
  readonly inRun: number;
  readonly onDay: number;
}

/** Reads a run's budget as the store knows it. */
export function prepareBudgets(db: Db): (runId: number, day: number) => RunBudget | undefined {
  const find = compile(
    db,
    db
      .select({ job: runs.job, perRun: runs.perRun, perDay: runs.perDay })
      .from(runs)
      .where(eq(runs.id, sql.placeholder('runId'))),
  );
  const total = sql<number>`coalesce(sum(${runDays.requests}), 0)`;
  const inRun = compile(
    db,
    db
      .select({ total })
      .from(runDays)
      .where(eq(runDays.runId, sql.placeholder('runId'))),
  );
  const onDay = compile(
    db,
    db
      .select({ total })
      .from(runDays)
      .innerJoin(runs, eq(runs.id, runDays.runId))
      .where(
        and(
          eq(runDays.day, sql.placeholder('day')),
          sql`case when ${sql.placeholder('job')} is null then ${runs.id} = ${sql.placeholder('runId')} else ${runs.job} = ${sql.placeholder('job')} end`,
        ),
      ),
  );
  return (runId, day) => {
    const found = find.get({ runId }) as [string | null, number | null, number | null] | undefined;
    if (!found) return undefined;
    const [job, perRun, perDay] = found;
    return {
      ...{ job, perRun, perDay },
      inRun: perRun === null ? 0 : (inRun.get({ runId })![0] as number),
      onDay: perDay === null ? 0 : (onDay.get({ runId, job, day })![0] as number),
    };
  };
}
