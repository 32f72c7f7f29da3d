import type { CrawlFacts, Evidence } from './evidence.ts';

interface RunRow {
  readonly id: number;
  readonly max_requests: number | null;
  readonly recorded: number;
  readonly unknown: number;
}

/** The maximum number of unrecorded requests of killed workers, by the store. */
const unknownOf = ({ unknown_requests, in_flight_requests }: CrawlFacts): number =>
  unknown_requests + in_flight_requests;

/**
 * Sent requests are recorded or counted as unknown, for every crawl and run, and no budget is exceeded (invariant 8).
 */
export function checkBudgets(evidence: Evidence): void {
  const { crawls, db, fail, sentBy, plan, resumed } = evidence;
  const sent = new Map(crawls.map(({ id }) => [id, sentBy(id).filter(({ counted }) => counted).length]));
  for (const crawl of crawls) {
    const { id, requests } = crawl;
    const [most, unknown] = [sent.get(id)!, unknownOf(crawl)];
    if (most > requests + unknown)
      fail(
        'invariant 8',
        `crawl ${id} sent ${most} requests; ${requests} are on record, and at most ${unknown} unknown`,
      );
    if (crawl.finished_at !== null && crawl.state !== 'cancelled' && crawl.in_flight_requests > 0)
      fail('invariant 8', `crawl ${id} has ended, and ${crawl.in_flight_requests} requests are in flight`);
    // A crawl lost nothing if every activation stored or released everything.
    const isClean = evidence.activations.every(({ crawlId, isClean }) => crawlId !== id || isClean);
    if (isClean && unknown > 0) fail('invariant 8', `crawl ${id} lost nothing, and has ${unknown} unknown requests`);
  }

  const runs = db
    .prepare(
      `select r.id, r.max_requests, coalesce(sum(d.requests), 0) as recorded, coalesce(sum(d.unknown_requests), 0) as unknown
       from runs r left join _run_usage_by_day d on d.run_id = r.id where r.job_name is null group by r.id`,
    )
    .all() as RunRow[];
  // Concurrent processes see the stored requests of others late.
  const isAlone = plan.processes === 1 && !plan.disturbances.some(({ what }) => what === 'stop');
  for (const { id, max_requests: per_run, recorded, unknown } of runs) {
    const own = crawls.filter(({ run_id }) => run_id === id);
    // A resumed crawl belongs to no run.
    if (resumed.length > 0) continue;
    // A run takes over unfinished crawls of a job; their earlier requests are recorded there.
    if (own.some(({ kind }) => plan.acts.some((act) => act.what === 'run' && act.kind === kind))) continue;
    const most = own.reduce((sum, crawl) => sum + sent.get(crawl.id)!, 0);
    const left = own.reduce((sum, { in_flight_requests }) => sum + in_flight_requests, 0);
    if (most > recorded + unknown + left)
      fail('invariant 8', `run ${id} sent ${most} requests; ${recorded} are on record, and at most ${unknown} unknown`);
    if (isAlone && per_run !== null && most > per_run)
      fail('invariant 8', `run ${id} sent ${most} requests, and ${per_run} were allowed`);
  }
}
