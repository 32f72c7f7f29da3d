import { and, eq, isNull } from 'drizzle-orm';
import { type CrawlSpec, readRequestedId, RECHECK_OPTIONS, parseCrawlOptions } from '#service/kinds/crawl-spec.ts';
import type { OpenedCrawl, PageCommit } from '#store/schema/commit-messages.ts';
import { type ParentCrawl, rootIdOf } from '#store/schema/crawl-row.ts';
import type { CrawlIdentity } from '#store/schema/query-results.ts';
import { crawls } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { compileStatement, placeholders } from '#store/sqlite/statement.ts';
import type { Runs } from './runs.ts';

/** Creates crawls or joins unfinished ones of the same identity (invariant 3), inside the caller's transaction. */
export function prepareOpenCrawls(
  db: Db,
  { tree, runs, runTargets }: { tree: CrawlTree; runs: Runs; runTargets: RunTargets },
) {
  const { $client } = db;
  const newCrawl = {
    ...placeholders(crawls, ['kind', 'target', 'handle', 'options', 'priority', 'parentId', 'rootId', 'runId']),
    ...placeholders(crawls, [
      'targetRestId',
      'targetLimitRunId',
      'lockedBy',
      'lockExpiresAt',
      'createdAt',
      'updatedAt',
    ]),
    ...placeholders(crawls, ['plannedRequestsMin', 'plannedRequestsExpected', 'plannedRequestsMax']),
    state: 'queued' as const,
  };
  const insert = compileStatement(
    db.insert(crawls).values(newCrawl).onConflictDoNothing().returning({ id: crawls.id }),
  );
  const find = $client
    .prepare<[CrawlIdentity], number>(
      'select id from crawls where kind = @kind and target = @target and options = @options and finished_at is null',
    )
    .pluck();
  /** Gives the soft lock of a parent to a joined child, unless another run has locked it. */
  const adopt = $client.prepare<[object]>(
    `update crawls set locked_by = @lockedBy, lock_expires_at = @lockExpiresAt
     where id = @id and coalesce(lock_expires_at, 0) <= @at`,
  );
  /** The latest spelling replaces the previous one, which may be wrong. */
  const setHandle = $client.prepare<[handle: string, id: number]>(
    'update crawls set handle = ? where id = ? and finished_at is null',
  );

  /** Returns the unfinished crawl of an identity. */
  const unfinished = (crawl: CrawlIdentity): number | undefined => find.get(crawl);

  /** @param targetLimitRunId the run whose limit of accounts the crawl shares, for a snowball with a limit */
  function open(spec: CrawlSpec, at: number, parent?: ParentCrawl, targetLimitRunId?: number): OpenedCrawl {
    const unfinishedTree = parent ? undefined : tree.findUnfinishedTree(spec);
    if (unfinishedTree !== undefined) return join(unfinishedTree, spec, targetLimitRunId);
    const created = insert.get({
      ...spec,
      targetLimitRunId,
      createdAt: at,
      updatedAt: at,
      targetRestId: readRequestedId(spec),
      parentId: parent?.id,
      rootId: parent && rootIdOf(parent),
      runId: parent?.runId ?? spec.runId,
      lockedBy: parent?.lockedBy,
      lockExpiresAt: parent?.lockExpiresAt,
      plannedRequestsMin: spec.plan?.min,
      plannedRequestsExpected: spec.plan?.expected,
      plannedRequestsMax: spec.plan?.max,
    });
    if (created) return { id: created[0] as number, isJoined: false };
    const id = unfinished(spec)!;
    if (parent?.lockedBy != null) adopt.run({ id, at, lockedBy: parent.lockedBy, lockExpiresAt: parent.lockExpiresAt });
    return join(id, spec, targetLimitRunId);
  }

  /** Opens the child crawls of a page, in the tree of their parent. */
  function openChildren(parent: ParentCrawl, specs: readonly CrawlSpec[], at: number): OpenedCrawl[] {
    const children = specs.map((spec) => open(spec, at, parent));
    tree.addChildren(parent, children);
    return children;
  }

  /** Opens crawls that one command or one run of a job requests together. */
  function openAll(specs: readonly CrawlSpec[], at: number): OpenedCrawl[] {
    let own: number | undefined;
    return specs.map((spec) => {
      const { targetLimitRunId, runId } = spec;
      if (targetLimitRunId === null || !hasTargetLimit(spec)) return open(spec, at);
      return open(spec, at, undefined, targetLimitRunId ?? runId ?? (own ??= runs.createRun(at, {})));
    });
  }

  function join(id: number, { runId, handle }: CrawlSpec, targetLimitRunId: number | undefined): OpenedCrawl {
    if (runId != null) runs.assignRun(id, runId);
    if (targetLimitRunId !== undefined) runTargets.addSnowball(id, targetLimitRunId);
    if (handle != null) setHandle.run(handle, id);
    return { id, isJoined: true };
  }

  return { openChildren, openAll, unfinished };
}

/** The descendants of a crawl (a snowball), each identity at most once per tree. */
export type CrawlTree = ReturnType<typeof prepareCrawlTree>;

export function prepareCrawlTree({ $client }: Db, runTargets: RunTargets) {
  const isCrawl = 'kind = @kind and target = @target and options = @options';
  const find = $client.prepare<[object]>(
    `select id from crawls join _crawl_tree on descendant_id = crawls.id and _crawl_tree.root_id = @rootId where ${isCrawl}`,
  );
  const findTree = $client
    .prepare<[CrawlSpec], number>(
      `select id from crawls where ${isCrawl} and exists (
         select 1 from _crawl_tree f join crawls c on c.id = f.descendant_id
         where f.root_id = crawls.id and c.finished_at is null and c.options <> '${RECHECK_OPTIONS}')
       order by id desc limit 1`,
    )
    .pluck();
  const insert = $client.prepare<[rootId: number, descendantId: number]>(
    'insert into _crawl_tree (root_id, descendant_id) values (?, ?) on conflict do nothing',
  );

  return {
    /** Returns the children of a page that are new to the tree and within the limit of its run. */
    selectNewChildren(parent: ParentCrawl, page: PageCommit): CrawlSpec[] {
      const { children, maxTargets, at } = page;
      const rootId = rootIdOf(parent);
      const admitted =
        maxTargets === undefined ? children : runTargets.selectWithinLimit(children, parent, maxTargets, at);
      return admitted.filter((child) => find.get({ ...child, rootId }) === undefined);
    },

    /** Returns an ended crawl of this identity with unfinished descendants. */
    findUnfinishedTree: (spec: CrawlSpec): number | undefined => findTree.get(spec),

    addChildren(parent: ParentCrawl, children: readonly OpenedCrawl[]): void {
      for (const { id } of children) insert.run(rootIdOf(parent), id);
    },
  };
}

const hasTargetLimit = (spec: Pick<CrawlSpec, 'options'>): boolean => parseCrawlOptions(spec).maxTargets !== undefined;

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

type RunTargets = ReturnType<typeof prepareRunTargets>;
