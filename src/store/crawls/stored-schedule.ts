import { eq } from 'drizzle-orm';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import { describeForgottenTargets, type IsForgotten } from '#store/erasure/incoming/forgotten-targets.ts';
import type { OpenedCrawl } from '#store/schema/commit-messages.ts';
import type { ScheduleEntry, ScheduledJob, ScheduledRunStart, ScheduleChange } from '#store/schema/job-messages.ts';
import { alerts, scheduledJobs } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { prepareJobAccounts } from './job-accounts.ts';
import type { Runs } from './runs.ts';

/** All scheduled jobs, by name. */
export function readSchedule(db: Db): ScheduledJob[] {
  const rows = db.select().from(scheduledJobs).orderBy(scheduledJobs.name).all();
  return rows.map(({ lastRunAt, lastRunAdded, lastRunJoined, lastRunError, ...row }) => ({
    name: row.name,
    job: row.definition,
    schedule: row.schedule,
    madeAt: row.scheduledAt,
    slot: row.lastSlotAt,
    lastRun:
      lastRunAt === null
        ? null
        : {
            at: lastRunAt,
            added: lastRunAdded ?? 0,
            joined: lastRunJoined ?? 0,
            problem: lastRunError,
          },
  }));
}

interface ScheduleDependencies {
  readonly openAll: (specs: readonly CrawlSpec[], at: number) => OpenedCrawl[];
  readonly runs: Runs;
  readonly jobAccounts: ReturnType<typeof prepareJobAccounts>;
  readonly isForgotten: IsForgotten;
}

/** Writes the schedule, which survives the loss of Redis (invariant 2), inside the caller's transaction. */
export function prepareSchedule(db: Db, { openAll, runs, jobAccounts, isForgotten }: ScheduleDependencies) {
  return {
    /** Replaces the schedule. A job with the same times keeps its latest run. */
    setSchedule(entries: readonly ScheduleEntry[], at: number): ScheduleChange[] {
      const before = new Map(readSchedule(db).map((job) => [job.name, job]));
      const changes = entries.map((entry): ScheduleChange => {
        const { name } = entry;
        const known = before.get(name);
        before.delete(name);
        if (known?.job === entry.job) return { name, change: 'unchanged' };
        // A new schedule starts from now; other changes apply to the next run.
        const row = {
          name,
          definition: entry.job,
          schedule: entry.schedule,
          ...(known?.schedule === entry.schedule
            ? {}
            : {
                scheduledAt: at,
                lastSlotAt: null,
              }),
        };
        db.insert(scheduledJobs)
          .values({ scheduledAt: at, ...row })
          .onConflictDoUpdate({ target: scheduledJobs.name, set: row })
          .run();
        return { name, change: known ? 'changed' : 'added' };
      });
      for (const name of before.keys()) {
        db.delete(scheduledJobs).where(eq(scheduledJobs.name, name)).run();
        jobAccounts.removeJob(name);
        db.delete(alerts).where(eq(alerts.subject, name)).run();
        changes.push({ name, change: 'removed' });
      }
      return changes;
    },

    /**
     * Opens the crawls of a scheduled run, without those of forgotten accounts. Returns undefined and changes nothing if the
     * run exists.
     */
    openScheduledRun({ name, slot, at, specs, budget = {}, ...run }: ScheduledRunStart): OpenedCrawl[] | undefined {
      const job = readSchedule(db).find((each) => each.name === name);
      if (!job || slot <= (job.slot ?? -1)) return undefined;
      const remembered = specs.filter((spec) => !isForgotten(spec));
      const forgotten = specs.length - remembered.length;
      const problem = run.problem ?? (forgotten > 0 ? describeForgottenTargets(forgotten) : null);
      const runId = runs.createRun(at, budget, { name, problem });
      const ownSpecs = remembered.map((spec) => ({ ...spec, runId }));
      const opened = openAll(ownSpecs, at);
      const joined = opened.filter((crawl) => crawl.isJoined).length;
      const lastRun = {
        lastSlotAt: slot,
        lastRunAt: at,
        lastRunAdded: opened.length - joined,
        lastRunJoined: joined,
        lastRunError: problem,
      };
      db.update(scheduledJobs).set(lastRun).where(eq(scheduledJobs.name, name)).run();
      return opened;
    },
  };
}
