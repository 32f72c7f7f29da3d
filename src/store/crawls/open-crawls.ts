import { and, eq, isNull, sql } from 'drizzle-orm';
import type { CrawlSpec } from '../../kinds/crawl-spec.ts';
import type { CrawlRow } from '../schema/crawl-row.ts';
import type { OpenedCrawl } from '../schema/messages.ts';
import { crawls } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileStatement, placeholder, placeholders } from '../sqlite/statement.ts';
import { hasIdentity } from './crawl-identity.ts';
import { type ParentCrawl, type prepareCrawlTree, rootIdOf } from './crawl-tree.ts';
import { hasTargetLimit, type RunTargets } from './run-targets.ts';
import type { prepareRuns } from './runs.ts';

/** Makes crawls, or joins what is unfinished of the same identity (invariant 3), inside the caller's transaction. */
export function prepareOpenCrawls(
  db: Db,
  {
    family,
    runs,
    limits,
  }: {
    family: Pick<ReturnType<typeof prepareCrawlTree>, 'findUnfinishedTree'>;
    runs: Pick<ReturnType<typeof prepareRuns>, 'assignRun' | 'createRun'>;
    limits: Pick<RunTargets, 'addSnowball'>;
  },
) {
  const insert = compileStatement(
    db
      .insert(crawls)
      .values({
        ...placeholders(crawls, [
          ...['kind', 'target', 'handle', 'options', 'priority', 'parentId', 'rootId'],
          ...['lockedBy', 'lockExpiresAt', 'createdAt', 'updatedAt'],
          ...['plannedRequestsMin', 'plannedRequestsExpected', 'plannedRequestsMax', 'runId', 'targetLimitRunId'],
        ] as const),
        state: 'queued',
      })
      .onConflictDoNothing()
      .returning({ id: crawls.id }),
  );
  const find = compileStatement(
    db
      .select({ id: crawls.id })
      .from(crawls)
      .where(and(hasIdentity, isNull(crawls.finishedAt))),
  );
  /** A run that waits for a child takes it, unless another run has it. */
  const adopt = db
    .update(crawls)
    .set({ lockedBy: placeholder('lockedBy'), lockExpiresAt: placeholder('lockExpiresAt') })
    .where(
      and(eq(crawls.id, sql.placeholder('id')), sql`coalesce(${crawls.lockExpiresAt}, 0) <= ${sql.placeholder('at')}`),
    )
    .prepare();

  /** The newest spelling counts: the one before it may be why the crawl comes to nothing. */
  const spell = db
    .update(crawls)
    .set({ handle: placeholder('handle') })
    .where(and(eq(crawls.id, sql.placeholder('id')), isNull(crawls.finishedAt)))
    .prepare();

  /** The unfinished crawl of an identity. */
  const unfinished = ({ kind, target, options }: Pick<CrawlRow, 'kind' | 'target' | 'options'>): number | undefined =>
    find.get({ kind, target, options })?.[0] as number | undefined;

  /** @param targetLimitRunId the run whose limit of accounts it shares, where it is a snowball with a limit. */
  function open(spec: CrawlSpec, at: number, parent?: ParentCrawl, targetLimitRunId?: number): OpenedCrawl {
    const { kind, target, options, plan } = spec;
    const rolling = parent ? undefined : family.findUnfinishedTree(spec);
    if (rolling !== undefined) return joinIn(rolling, spec, targetLimitRunId);
    const created = insert.get({
      ...{ kind, target, options, priority: spec.priority, createdAt: at, updatedAt: at },
      handle: spec.handle ?? null,
      parentId: parent?.id ?? null,
      rootId: parent ? rootIdOf(parent) : null,
      // Who works on the parent works on the children.
      lockedBy: parent?.lockedBy ?? null,
      lockExpiresAt: parent?.lockExpiresAt ?? null,
      plannedRequestsMin: plan?.min ?? null,
      plannedRequestsExpected: plan?.expected ?? null,
      plannedRequestsMax: plan?.max ?? null,
      runId: parent?.runId ?? spec.runId ?? null,
      targetLimitRunId: targetLimitRunId ?? null,
    });
    if (created) return { id: created[0] as number, isJoined: false };
    const id = unfinished(spec)!;
    if (parent?.lockedBy != null) adopt.run({ id, at, lockedBy: parent.lockedBy, lockExpiresAt: parent.lockExpiresAt });
    return joinIn(id, spec, targetLimitRunId);
  }

  /** What is asked for together: by one command, or one run of a job. */
  function openAll(specs: readonly CrawlSpec[], at: number): OpenedCrawl[] {
    let own: number | undefined;
    return specs.map((spec) => {
      const { targetLimitRunId, runId } = spec;
      if (targetLimitRunId === null || !hasTargetLimit(spec)) return open(spec, at);
      return open(spec, at, undefined, targetLimitRunId ?? runId ?? (own ??= runs.createRun(at, {})));
    });
  }

  function joinIn(id: number, { runId, handle }: CrawlSpec, targetLimitRunId: number | undefined): OpenedCrawl {
    if (runId != null) runs.assignRun(id, runId);
    if (targetLimitRunId !== undefined) limits.addSnowball(id, targetLimitRunId);
    if (handle != null) spell.run({ id, handle });
    return { id, isJoined: true };
  }

  return { open, openAll, unfinished };
}
