import { inArray } from 'drizzle-orm';
import { formatCrawlReason } from '../../../analysis/crawls/crawl-reasons.ts';
import { parseCrawlOptions } from '../../../kinds/crawl-spec.ts';
import { formatTarget } from '../../../kinds/target.ts';
import type { CrawlRow } from '../../../store/schema/crawl-row.ts';
import { crawls } from '../../../store/schema/tables.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import type { CrawlLine, CrawlLines } from '../../api/overview.ts';
import { toShortLine } from '../../reader/short-line.ts';

/** `attention`: unfinished crawls, and failed ones that were not repeated. `newest`: all. */
export const CRAWL_VIEWS = ['attention', 'newest'] as const;
export type CrawlView = (typeof CRAWL_VIEWS)[number];

const SHOWN = 50;

/** A condition on failed crawls: no later crawl repeats them. */
export const IS_NOT_REPEATED = `not exists (select 1 from crawls later where later.kind = c.kind
  and later.target = c.target and later.options = c.options and later.id > c.id)`;

/** The ids of each view, in the order of the table, and the number of all crawls in it. */
const VIEWS: Readonly<Record<CrawlView, { readonly ids: string; readonly total: string }>> = {
  attention: {
    ids: `select id from (
        select * from (select id, 1 as place, -id as position from crawls c indexed by crawls_state
          where state = 'failed' and ${IS_NOT_REPEATED} order by id desc limit @shown)
        union all select * from (select id, 2, -updated_at from crawls indexed by crawls_paused
          where state = 'paused' order by updated_at desc limit @shown)
        union all select * from (select id, 3, id from crawls where state = 'running' order by id limit @shown)
        union all select * from (select id, 4, id from crawls indexed by crawls_state
          where state = 'queued' order by id limit @shown)
      ) order by place, position limit @shown`,
    total: `select (select count(*) from crawls where finished_at is null)
      + (select count(*) from crawls c indexed by crawls_state where state = 'failed' and ${IS_NOT_REPEATED})`,
  },
  newest: {
    ids: 'select id from crawls order by id desc limit @shown',
    total: 'select count(*) from crawls',
  },
};

/** Reads the first crawls of a view, and their total number. */
export function readCrawlLines(db: Db, view: CrawlView, now: number): CrawlLines {
  const { $client } = db;
  const ids = $client.prepare<[object], number>(VIEWS[view].ids).pluck().all({ shown: SHOWN });
  const total = $client.prepare<[], number>(VIEWS[view].total).pluck().get()!;
  return { rows: readLines(db, ids, now), total };
}

/** Reads crawls in the order of their ids in a list. */
function readLines(db: Db, ids: readonly number[], now: number): CrawlLine[] {
  const rows = new Map(
    db
      .select()
      .from(crawls)
      .where(inArray(crawls.id, [...ids]))
      .all()
      .map((row) => [row.id, row]),
  );
  const readTree = db.$client.prepare<[number, number], { pages: number; requests: number }>(
    `select coalesce(sum(pages), 0) as pages, coalesce(sum(requests), 0) as requests
     from _crawl_tree t join crawls d on d.id = t.descendant_id where t.root_id = ? and d.id <> ?`,
  );
  return ids.flatMap((id) => {
    const row = rows.get(id);
    return row ? [toCrawlLine(row, readTree.get(id, id)!, now)] : [];
  });
}

/** @param tree the pages and requests of its child crawls */
function toCrawlLine(row: CrawlRow, tree: { pages: number; requests: number }, now: number): CrawlLine {
  const pages = row.pages + tree.pages;
  const requests = row.requests + tree.requests;
  const { state, plannedRequestsExpected: planned } = row;
  return {
    ...{ id: row.id, kind: row.kind, target: toShortLine(formatTarget(row)), priority: row.priority, state },
    reason: toShortLine(formatCrawlReason({ ...row, ending: null }, (command) => `trawl ${command}`)),
    ...{ parentId: row.parentId, pages, items: row.items, newItems: row.newItems, requests },
    plannedPages: planPages(row, planned),
    ...{ createdAt: row.createdAt, startedAt: row.startedAt, finishedAt: row.finishedAt, resumeAt: row.resumeAt },
    leftMs: state === 'running' ? estimateRest(row, requests, planned, now) : null,
  };
}

/** A plan counts requests: a page of a list is one, and a limit of pages is a better bound. */
function planPages(row: CrawlRow, planned: number | null): number | null {
  if (planned === null) return null;
  const { maxPages, andThen } = parseCrawlOptions(row);
  return maxPages !== undefined && andThen === undefined ? Math.min(maxPages, planned) : planned;
}

/** The expected rest at the mean speed since the start, in ms; null without a plan, or past it. */
function estimateRest(
  { startedAt, pages }: Pick<CrawlRow, 'startedAt' | 'pages'>,
  requests: number,
  planned: number | null,
  now: number,
): number | null {
  if (planned === null || startedAt === null || pages < 2 || requests >= planned) return null;
  return Math.round(((now - startedAt) / requests) * (planned - requests));
}
