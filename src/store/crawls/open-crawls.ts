import { type CrawlSpec, readRequestedId } from '../../service/kinds/crawl-spec.ts';
import type { OpenedCrawl } from '../schema/commit-messages.ts';
import { type ParentCrawl, rootIdOf } from '../schema/crawl-row.ts';
import type { CrawlIdentity } from '../schema/query-results.ts';
import { crawls } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileStatement, placeholders } from '../sqlite/statement.ts';
import type { CrawlTree } from './crawl-tree.ts';
import { hasTargetLimit, type RunTargets } from './run-targets.ts';
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
