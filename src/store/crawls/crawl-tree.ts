import { type CrawlSpec, RECHECK_OPTIONS } from '../../service/kinds/crawl-spec.ts';
import type { OpenedCrawl, PageCommit } from '../schema/commit-messages.ts';
import { type ParentCrawl, rootIdOf } from '../schema/crawl-row.ts';
import type { Db } from '../sqlite/database.ts';
import type { RunTargets } from './run-targets.ts';

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
