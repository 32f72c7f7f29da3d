import { and, desc, eq, sql } from 'drizzle-orm';
import { type CrawlSpec, RECHECK_OPTIONS } from '../../service/kinds/crawl-spec.ts';
import type { OpenedCrawl, PageCommit } from '../schema/commit-messages.ts';
import { type ParentCrawl, rootIdOf } from '../schema/crawl-row.ts';
import { crawlTree, crawls } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileStatement, bound } from '../sqlite/statement.ts';
import { hasIdentity } from './crawl-conditions.ts';
import type { RunTargets } from './run-targets.ts';

/** The descendants of a crawl (a snowball), each identity at most once per tree. */
export type CrawlTree = ReturnType<typeof prepareCrawlTree>;

export function prepareCrawlTree(db: Db, runTargets: RunTargets) {
  const isDescendant = and(eq(crawlTree.descendantId, crawls.id), eq(crawlTree.rootId, bound.rootId));
  const find = db
    .select({ id: crawls.id })
    .from(crawls)
    .innerJoin(crawlTree, isDescendant)
    .where(hasIdentity)
    .prepare();
  const hasUnfinishedTree = sql`exists (select 1 from ${crawlTree} f join ${crawls} c on c.id = f.descendant_id
    where f.root_id = ${crawls.id} and c.finished_at is null and c.options <> ${RECHECK_OPTIONS})`;
  const unfinishedTrees = db.select({ id: crawls.id }).from(crawls).where(and(hasIdentity, hasUnfinishedTree));
  const findTree = compileStatement(unfinishedTrees.orderBy(desc(crawls.id)).limit(1));
  const member = { rootId: bound.rootId, descendantId: bound.crawlId };
  const insert = db.insert(crawlTree).values(member).onConflictDoNothing().prepare();

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
    findUnfinishedTree: (spec: CrawlSpec): number | undefined => findTree.get(spec)?.[0] as number | undefined,

    addChildren(parent: ParentCrawl, children: readonly OpenedCrawl[]): void {
      for (const { id } of children) insert.run({ rootId: rootIdOf(parent), crawlId: id });
    },
  };
}
