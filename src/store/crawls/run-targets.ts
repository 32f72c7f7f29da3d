import { and, eq, isNull } from 'drizzle-orm';
import { type CrawlSpec, parseCrawlOptions, RECHECK_OPTIONS } from '../../service/kinds/crawl-spec.ts';
import { type ParentCrawl, rootIdOf } from '../schema/crawl-row.ts';
import { crawls } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import type { Runs } from './runs.ts';

export const hasTargetLimit = (spec: Pick<CrawlSpec, 'options'>): boolean =>
  parseCrawlOptions(spec).maxTargets !== undefined;

/**
 * Limits the accounts that the snowballs of a run find (`maxTargets`), inside the caller's transaction. All snowballs of
 * one command or one run of a job share the limit. A snowball belongs to the run that requested it last.
 */
export function prepareRunTargets(db: Db, runs: Runs) {
  const { $client } = db;
  const find = $client.prepare<[number, string], number>('select 1 from _run_targets where run_id = ? and target = ?');
  const insert = $client.prepare<[number, string]>('insert into _run_targets (run_id, target) values (?, ?)');
  const count = $client.prepare<[number], number>('select target_count from runs where id = ?').pluck();
  const setCount = $client.prepare<[number, number]>('update runs set target_count = ? where id = ?');
  // Re-checks of missing tweets are no targets of the snowball.
  const merge = $client.prepare<[number, number]>(
    `insert or ignore into _run_targets (run_id, target)
     select ?, target from _crawl_tree join crawls on crawls.id = descendant_id
     where _crawl_tree.root_id = ? and options <> '${RECHECK_OPTIONS}'`,
  );
  const recount = $client.prepare<[number]>(
    'update runs set target_count = (select count(*) from _run_targets where run_id = runs.id) where id = ?',
  );
  const runOf = $client.prepare<[number], number | null>('select target_limit_run_id from crawls where id = ?').pluck();

  /** Assigns a snowball to a run, with the accounts that it has found. */
  function addSnowball(rootId: number, runId: number): void {
    db.update(crawls)
      .set({ targetLimitRunId: runId })
      .where(and(eq(crawls.id, rootId), isNull(crawls.parentId)))
      .run();
    merge.run(runId, rootId);
    recount.run(runId);
  }

  return {
    addSnowball,

    /** Returns the children of a page whose targets are within the limit, and counts these. */
    selectWithinLimit(
      children: readonly CrawlSpec[],
      parent: ParentCrawl,
      maxTargets: number,
      at: number,
    ): CrawlSpec[] {
      const rootId = rootIdOf(parent);
      let runId = runOf.get(rootId);
      if (runId == null) {
        // A crawl of an early version.
        runId = runs.createRun(at, {});
        addSnowball(rootId, runId);
      }
      const known = count.get(runId)!;
      let n = known;
      const admitted = children.filter(({ target }) => {
        if (find.get(runId, target) !== undefined) return true;
        if (n >= maxTargets) return false;
        insert.run(runId, target);
        n += 1;
        return true;
      });
      if (n > known) setCount.run(n, runId);
      return admitted;
    },
  };
}

export type RunTargets = ReturnType<typeof prepareRunTargets>;
