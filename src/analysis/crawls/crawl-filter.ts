import { and, inArray, isNull, or, type SQL, sql } from 'drizzle-orm';
import { foldHandle } from '../../base/text.ts';
import type { CrawlRow } from '../../store/schema/crawl-row.ts';
import { crawls, runs } from '../../store/schema/tables.ts';

/** Conditions on crawls. A crawl matches all of them; of several values of one condition, any. */
export interface CrawlFilter {
  readonly states?: readonly CrawlRow['state'][] | undefined;
  readonly kinds?: readonly string[] | undefined;
  readonly reasons?: readonly string[] | undefined;
  readonly priorities?: readonly CrawlRow['priority'][] | undefined;
  /** The names of jobs. */
  readonly jobs?: readonly string[] | undefined;
  /** The ids of runs. */
  readonly runs?: readonly number[] | undefined;
  /** A part of the target or handle in any case, the whole id of an account, or `#` and the id of a crawl: it and its child crawls. */
  readonly target?: string | undefined;
  /** Only crawls that stopped before the end of their list, and whose account is not forgotten. */
  readonly hasStopped?: true | undefined;
  /** Only crawls that no other crawl created. */
  readonly isTop?: true | undefined;
}

/** The condition of a filter; undefined if all crawls match. */
export function toCrawlCondition(filter: CrawlFilter): SQL | undefined {
  const { states, kinds, reasons, priorities, jobs, runs: runIds } = filter;
  const runsOfJobs = jobs && sql`(select ${runs.id} from ${runs} where ${inArray(runs.jobName, [...jobs])})`;
  return and(
    states && inArray(crawls.state, [...states]),
    kinds && inArray(crawls.kind, [...kinds]),
    reasons && inArray(crawls.reason, [...reasons]),
    priorities && inArray(crawls.priority, [...priorities]),
    runsOfJobs && sql`${crawls.runId} in ${runsOfJobs}`,
    runIds && inArray(crawls.runId, [...runIds]),
    filter.hasStopped && and(isNull(crawls.ending), sql`${crawls.reason} is not 'erased'`),
    filter.isTop && isNull(crawls.parentId),
    toTargetCondition(filter.target ?? ''),
  );
}

/** The condition on the target; undefined for an empty text. */
export function toTargetCondition(typed: string): SQL | undefined {
  const text = typed.trim();
  if (text === '') return undefined;
  const [, crawlId] = /^#(\d{1,15})$/.exec(text) ?? [];
  const [, restId] = /^(?:id:)?([A-Za-z0-9_-]{1,64})$/.exec(text) ?? [];
  // A handle is stored without its sign. LIKE ignores the case of ASCII letters, and targets are stored folded.
  const part = text.replace(/^@/, '') || text;
  return or(
    contains(sql`${crawls.target}`, part),
    contains(sql`${crawls.target}`, foldHandle(part)),
    contains(sql`${crawls.handle}`, part),
    restId === undefined ? undefined : sql`${crawls.targetRestId} = ${restId}`,
    crawlId === undefined ? undefined : sql`${Number(crawlId)} in (${crawls.id}, ${crawls.parentId}, ${crawls.rootId})`,
  );
}

const contains = (column: SQL, part: string): SQL =>
  sql`${column} like ${`%${part.replaceAll(/[\\%_]/g, '\\$&')}%`} escape '\\'`;
