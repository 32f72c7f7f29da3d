import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import type { EndedCrawl, JobRunResult, JobSuccess } from '#store/schema/query-results.ts';
import type { Db } from '#store/sqlite/database.ts';

/** The results of the newest `most` runs of a job, newest first, without the runs in `known`. */
export function readJobRuns(db: Db, job: string, most: number, known: readonly number[] = []): JobRunResult[] {
  type Row = Omit<JobRunResult, 'isUnfinished' | 'hasNews'> & { isUnfinished: number; hasNews: number };
  // Crawls that a later run joined belong to that run. Descendants are read only as far as needed.
  const descendant = (condition: string): string =>
    `exists (select 1 from crawls root join _crawl_tree t on t.root_id = root.id join crawls d on d.id = t.descendant_id
       where root.run_id = r.id and root.parent_id is null and ${condition})`;
  return db.$client
    .prepare<[string, number, string], Row>(
      `select r.id as runId, r.created_at as at, r.error, count(c.id) as crawls,
         count(*) filter (where c.state = 'failed') as failed, count(*) filter (where c.state = 'cancelled') as cancelled,
         (select reason from crawls where run_id = r.id and parent_id is null and state = 'failed' order by id limit 1) as reason,
         max(c.id is not null and c.finished_at is null) or ${descendant('d.finished_at is null')} as isUnfinished,
         coalesce(sum(c.new_items + c.changes), 0) > 0 or ${descendant('d.new_items + d.changes > 0')} as hasNews
       from (select id, created_at, error from runs where job_name = ? order by id desc limit ?) r
       left join crawls c on c.run_id = r.id and c.parent_id is null
       where r.id not in (select value from json_each(?))
       group by r.id order by r.id desc`,
    )
    .all(job, most, JSON.stringify(known))
    .map((row) => ({ ...row, isUnfinished: row.isUnfinished === 1, hasNews: row.hasNews === 1 }));
}

/** Prepares reads of the latest four crawls of a target that a job started and that ended, newest first. */
export function prepareEndedCrawls({ $client }: Db) {
  const prepare = (condition: string) =>
    $client.prepare<[string, string, string], EndedCrawl>(
      `select c.started_at as startedAt, c.new_items as newItems from crawls c join runs r on r.id = c.run_id
       where c.kind = ? and ${condition} and r.job_name = ? and c.parent_id is null and c.finished_at is not null
         and c.started_at is not null and c.state <> 'cancelled'
       order by c.id desc limit 4`,
    );
  const ofAccount = prepare('c.target_rest_id = ?');
  const ofTarget = prepare('c.target = ?');
  return (job: string, { kind, target }: Pick<CrawlSpec, 'kind' | 'target'>): EndedCrawl[] =>
    target.startsWith('id:') ? ofAccount.all(kind, target.slice(3), job) : ofTarget.all(kind, target, job);
}

/** When a crawl of each scheduled job last succeeded: of the newest run with one. Without any, when its first run began. */
export function readJobSuccesses(db: Db): JobSuccess[] {
  return db.$client
    .prepare<[], JobSuccess>(
      `select s.name as job, coalesce(
         (select max(c.finished_at) from crawls c
          where c.run_id = (select r.id from runs r where r.job_name = s.name and exists
            (select 1 from crawls where run_id = r.id and parent_id is null and state in ('complete', 'capped', 'partial'))
            order by r.id desc limit 1)
            and c.parent_id is null and c.state in ('complete', 'capped', 'partial')),
         min(r.created_at)) as at
       from _scheduled_jobs s join runs r on r.job_name = s.name group by s.name`,
    )
    .all();
}
