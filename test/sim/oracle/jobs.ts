import { kindTable } from '#service/kinds/kinds.ts';
import { wasThere } from '../truth.ts';
import { pagesOf, hadUndetectableFault } from './endings.ts';
import { type CrawlFacts, type Evidence, timesOf } from './evidence.ts';

/**
 * Scheduled jobs: the first success binds a handle to its account id, which then has priority. A rename does not stop a
 * job.
 */
export function checkJobs(evidence: Evidence): void {
  const { db, crawls, truth, fail, sentBy } = evidence;
  const jobs = db
    .prepare<[], { id: number; job: string }>(
      `select crawls.id, job_name as job from crawls join runs on runs.id = run_id
       where job_name is not null and parent_id is null order by crawls.id`,
    )
    .all();
  for (const job of new Set(jobs.map((one) => one.job))) {
    const ids = new Set(jobs.flatMap((one) => (one.job === job ? [one.id] : [])));
    const own = crawls.filter(({ id }) => ids.has(id));
    const [first] = own
      .filter((crawl) => isSuccess(crawl) && !crawl.target.startsWith('id:'))
      .toSorted((a, b) => a.finished_at! - b.finished_at! || a.id - b.id);
    if (!first) continue;
    const account = truth.accounts.find(({ id }) => id === first.target_rest_id);
    for (const crawl of own.filter(({ created_at }) => created_at > first.finished_at!)) {
      const others = pagesOf(evidence, crawl).flatMap(({ parsed, parameters }) => {
        const about = parsed?.owner ?? (kindTable[crawl.kind].idForm === 'id' ? parameters['restId'] : undefined);
        return about === undefined || about === first.target_rest_id ? [] : [about];
      });
      if (others.length > 0 || (crawl.target_rest_id !== null && crawl.target_rest_id !== first.target_rest_id))
        fail(
          'invariant 5',
          `crawl ${crawl.id} of job ${job} is about ${others[0] ?? crawl.target_rest_id}, not ${first.target_rest_id}`,
        );
      if (
        crawl.reason === 'not_found' &&
        account &&
        wasThere(account, ...timesOf(evidence, crawl)) &&
        !hadUndetectableFault(sentBy(crawl.id))
      )
        fail(
          'invariant 5',
          `crawl ${crawl.id} of job ${job} failed, not_found, and ${account.id} was there all the time`,
        );
    }
  }
}

const isSuccess = ({ state, target_rest_id }: CrawlFacts): boolean =>
  target_rest_id !== null && ['complete', 'capped', 'partial'].includes(state);
