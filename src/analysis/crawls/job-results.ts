import { foldHandle } from '../../base/text.ts';
import type { CrawlRow } from '../../store/schema/crawl-row.ts';
import { END_STATES } from '../../store/schema/tables/crawl-states.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { prepareHolders } from '../handle-holders.ts';

/** Results of the runs of scheduled jobs. Only root crawls are counted. */

/** A run of a job, with the number of its crawls by state. */
interface JobRunOutcome {
  readonly runId: number;
  readonly at: number;
  readonly crawls: Partial<Record<CrawlRow['state'], number>>;
  /** The tweets and accounts that the service no longer has, by its crawls and their child crawls. */
  readonly gone: number;
}

/** An account of a job whose handle differs from the handle in the job. */
export interface JobRename {
  readonly handle: string;
  readonly id: string;
  readonly shown: string;
  /** The account that has the job's handle now; undefined if the store knows none. */
  readonly holder: string | undefined;
}

export type JobHistory = ReturnType<ReturnType<typeof prepareJobHistory>>;

const RUNS = 10;

/** Prepares reading the history of jobs, by name. */
export function prepareJobHistory(db: Db) {
  const { $client } = db;
  const latestRuns = $client.prepare<
    [string, number],
    { runId: number; at: number; state: CrawlRow['state']; n: number }
  >(
    `select run.id as runId, run.created_at as at, crawls.state, count(*) as n
     from (select id, created_at from runs where job_name = ?
           and exists (select 1 from crawls where run_id = runs.id and parent_id is null) order by id desc limit ?) run
     join crawls on crawls.run_id = run.id and crawls.parent_id is null
     group by 1, 3 order by 1 desc`,
  );
  const countGone = $client
    .prepare<[number], number>(
      `with roots(id) as (select id from crawls where run_id = ? and parent_id is null)
       select count(*) from (
         select id from roots union select descendant_id from roots join _crawl_tree on root_id = roots.id
       ) found join crawls on crawls.id = found.id where reason in ('deleted', 'unavailable')`,
    )
    .pluck();
  const lastSuccess = $client
    .prepare<[string], number | null>(
      // Only the crawls of its runs are read, not all crawls in these states.
      `select max(finished_at) from runs cross join crawls indexed by crawls_run on run_id = runs.id and parent_id is null
       where job_name = ? and state in ('complete', 'capped', 'partial')`,
    )
    .pluck();
  const firstFailure = $client.prepare<[number], Pick<CrawlRow, 'id' | 'target' | 'handle' | 'reason'>>(
    `select id, target, handle, reason from crawls
     where run_id = ? and parent_id is null and state = 'failed' order by id limit 1`,
  );
  const readRenames = prepareRenames(db);

  return (job: string) => {
    const runs = new Map<number, JobRunOutcome>();
    for (const { runId, at, state, n } of latestRuns.all(job, RUNS)) {
      const run = runs.get(runId) ?? { runId, at, crawls: {}, gone: countGone.get(runId)! };
      run.crawls[state] = n;
      runs.set(runId, run);
    }
    const all = [...runs.values()];
    const hasEnded = ({ crawls }: JobRunOutcome): boolean =>
      Object.keys(crawls).every((state) => END_STATES.some((end) => end === state));
    // An unfinished run has not failed yet.
    const ended = all.filter((run) => hasEnded(run) || run.crawls.failed !== undefined);
    const end = ended.findIndex(({ crawls }) => crawls.failed === undefined);
    const failed = end === -1 ? ended : ended.slice(0, end);
    const newest = all[0]?.runId ?? 0;
    return {
      /** The newest runs with crawls, newest first. A crawl that a later run joined is counted in that run. */
      runs: all,
      /** When a crawl of the job last ended complete, capped or partial; null if none did. */
      lastSuccessAt: lastSuccess.get(job)!,
      /** The number of consecutive newest runs with a failed crawl, and whether all of their crawls failed. */
      consecutiveFailures: failed.length,
      isAllFailed: failed.every(({ crawls }) => Object.keys(crawls).every((state) => state === 'failed')),
      /** The first failed crawl of the newest of these runs: a later run may still wait. */
      failure: firstFailure.get(failed[0]?.runId ?? 0),
      /** Renames among the accounts of the newest run. */
      renames: readRenames(newest),
    };
  };
}

function prepareRenames(db: Db): (runId: number) => JobRename[] {
  const accounts = db.$client.prepare<[number], { handle: string; id: string; shown: string }>(
    `select distinct crawls.handle, rest_id as id, screen_name as shown from crawls
     join users on rest_id = coalesce(target_rest_id, substr(target, 4))
     where run_id = ? and parent_id is null and handle is not null and kind <> 'search' and screen_name is not null`,
  );
  const readHolders = prepareHolders(db);
  return (runId) =>
    accounts.all(runId).flatMap((row) => {
      const { current } = readHolders(row.handle);
      const holder = current?.restId === row.id ? undefined : current?.restId;
      const isRenamed = foldHandle(row.shown) !== foldHandle(row.handle);
      return isRenamed || holder !== undefined ? [{ ...row, holder }] : [];
    });
}
