import { eq, sql } from 'drizzle-orm';
import type { JobAccounts } from '../schema/query-results.ts';
import { jobAccounts } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileStatement } from '../sqlite/statement.ts';

/** Empty for a job that has not succeeded yet. */
export const readJobAccounts = (db: Db, job: string): JobAccounts =>
  new Map(
    db
      .select()
      .from(jobAccounts)
      .where(eq(jobAccounts.jobName, job))
      .all()
      .map(({ handle, restId }) => [handle, restId]),
  );

/** Writes the bindings, inside the caller's transaction. */
export function prepareJobAccounts(db: Db) {
  // Of crawls, those that were asked for by a handle have one; a search has no target's id.
  const bind = compileStatement(
    db
      .insert(jobAccounts)
      .select(
        sql`select runs.job_name, crawls.target, crawls.target_rest_id, ${sql.placeholder('at')} from crawls
          join runs on runs.id = crawls.run_id
          where crawls.id = ${sql.placeholder('crawlId')} and runs.job_name is not null and crawls.parent_id is null
            and crawls.handle is not null and crawls.target not like 'id:%' and crawls.target_rest_id is not null`,
      )
      .onConflictDoNothing(),
  );
  return {
    /** A crawl has succeeded: its job means this account by the handle from now on, unless it meant one before. */
    bindHandle: (crawlId: number, at: number): void => void bind.run({ crawlId, at }),
    /** A job that is not scheduled any more means nobody. */
    removeJob: (job: string): void => void db.delete(jobAccounts).where(eq(jobAccounts.jobName, job)).run(),
  };
}
