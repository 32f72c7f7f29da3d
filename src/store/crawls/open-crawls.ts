import { and, eq, isNull, sql } from 'drizzle-orm';
import type { CrawlSpec } from '../../kinds/crawl-spec.ts';
import { placeholders } from '../merge/merge-rules.ts';
import type { OpenedCrawl } from '../schema/messages.ts';
import { crawls } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileStatement } from '../sqlite/statement.ts';
import { hasIdentity } from './crawl-identity.ts';
import type { CrawlRow } from './crawl-row.ts';
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
    db,
    db
      .insert(crawls)
      .values({
        ...placeholders(crawls, [
          ...['kind', 'target', 'handle', 'options', 'class', 'parentId', 'rootId'],
          ...['claimedBy', 'claimedUntil', 'createdAt', 'updatedAt'],
          ...['plannedLeast', 'planned', 'plannedMost', 'runId', 'limitRunId'],
        ] as const),
        state: 'queued',
      })
      .onConflictDoNothing()
      .returning({ id: crawls.id }),
  );
  const find = compileStatement(
    db,
    db
      .select({ id: crawls.id })
      .from(crawls)
      .where(and(hasIdentity, isNull(crawls.finishedAt))),
  );
  /** A run that waits for a child takes it, unless another run has it. */
  const adopt = db
    .update(crawls)
    .set({ claimedBy: sql`${sql.placeholder('claimedBy')}`, claimedUntil: sql`${sql.placeholder('claimedUntil')}` })
    .where(
      and(eq(crawls.id, sql.placeholder('id')), sql`coalesce(${crawls.claimedUntil}, 0) <= ${sql.placeholder('at')}`),
    )
    .prepare();

  /** The newest spelling counts: the one before it may be why the crawl comes to nothing. */
  const spell = db
    .update(crawls)
    .set({ handle: sql`${sql.placeholder('handle')}` })
    .where(and(eq(crawls.id, sql.placeholder('id')), isNull(crawls.finishedAt)))
    .prepare();

  /** The unfinished crawl of an identity. */
  const unfinished = ({ kind, target, options }: Pick<CrawlRow, 'kind' | 'target' | 'options'>): number | undefined =>
    find.get({ kind, target, options })?.[0] as number | undefined;

  /** @param limitRunId the run whose limit of accounts it shares, where it is a snowball with a limit. */
  function open(spec: CrawlSpec, at: number, parent?: ParentCrawl, limitRunId?: number): OpenedCrawl {
    const { kind, target, options, plan } = spec;
    const rolling = parent ? undefined : family.findUnfinishedTree(spec);
    if (rolling !== undefined) return joinIn(rolling, spec, limitRunId);
    const created = insert.get({
      ...{ kind, target, options, class: spec.class, createdAt: at, updatedAt: at },
      handle: spec.handle ?? null,
      parentId: parent?.id ?? null,
      rootId: parent ? rootIdOf(parent) : null,
      // Who works on the parent works on the children.
      claimedBy: parent?.claimedBy ?? null,
      claimedUntil: parent?.claimedUntil ?? null,
      plannedLeast: plan?.min ?? null,
      planned: plan?.expected ?? null,
      plannedMost: plan?.max ?? null,
      runId: parent?.runId ?? spec.runId ?? null,
      limitRunId: limitRunId ?? null,
    });
    if (created) return { id: created[0] as number, isJoined: false };
    const id = unfinished(spec)!;
    if (parent?.claimedBy != null)
      adopt.run({ id, at, claimedBy: parent.claimedBy, claimedUntil: parent.claimedUntil });
    return joinIn(id, spec, limitRunId);
  }

  /** What is asked for together: by one command, or one run of a job. */
  function openAll(specs: readonly CrawlSpec[], at: number): OpenedCrawl[] {
    let own: number | undefined;
    return specs.map((spec) => {
      const { limitRunId, runId } = spec;
      if (limitRunId === null || !hasTargetLimit(spec)) return open(spec, at);
      return open(spec, at, undefined, limitRunId ?? runId ?? (own ??= runs.createRun(at, {})));
    });
  }

  function joinIn(id: number, { runId, handle }: CrawlSpec, limitRunId: number | undefined): OpenedCrawl {
    if (runId != null) runs.assignRun(id, runId);
    if (limitRunId !== undefined) limits.addSnowball(id, limitRunId);
    if (handle != null) spell.run({ id, handle });
    return { id, isJoined: true };
  }

  return { open, openAll, unfinished };
}
