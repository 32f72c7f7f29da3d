import { eq, sql } from 'drizzle-orm';
import type { JobAccounts } from '#store/schema/query-results.ts';
import { jobAccounts } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { compileStatement, bound } from '#store/sqlite/statement.ts';

/** Returns the accounts of a job; none before its first success. */
export function readJobAccounts(db: Db, job: string): JobAccounts {
  const rows = db.select().from(jobAccounts).where(eq(jobAccounts.jobName, job)).all();
  return new Map(rows.map(({ handle, restId }) => [handle, restId]));
}

/** Binds handles of jobs to accounts, inside the caller's transaction. */
export function prepareJobAccounts(db: Db) {
  // Only crawls of a handle have one; a search has no id of a target.
  const bind = compileStatement(
    db
      .insert(jobAccounts)
      .select(
        sql`select runs.job_name, crawls.target, crawls.target_rest_id, ${bound.at} from crawls
          join runs on runs.id = crawls.run_id
          where crawls.id = ${bound.crawlId} and runs.job_name is not null and crawls.parent_id is null
            and crawls.handle is not null and crawls.target not like 'id:%' and crawls.target_rest_id is not null`,
      )
      .onConflictDoNothing(),
  );
  return {
    /** Binds the handle of a successful crawl to its account, unless the job has bound it before. */
    bindHandle: (crawlId: number, at: number): void => void bind.run({ crawlId, at }),
    /** Removes the bindings of a job. */
    removeJob: (job: string): void => void db.delete(jobAccounts).where(eq(jobAccounts.jobName, job)).run(),
  };
}
