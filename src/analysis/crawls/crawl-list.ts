import { and, type SQL, sql, inArray, isNull, or } from 'drizzle-orm';
import { countRows } from '#analysis/count-rows.ts';
import { foldHandle } from '#base/text.ts';
import { KIND_NAMES } from '#service/kinds/kinds.ts';
import { isAmongIds } from '#store/crawls/crawl-conditions.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import { crawls, runs } from '#store/schema/tables.ts';
import { CRAWL_STATES } from '#store/schema/tables/crawl-states.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { CrawlSort } from './crawl-sorts.ts';

/** The value that crawls are sorted by, and whether the largest comes first. The id decides between equal ones. */
const SORTS = {
  id: { key: sql`${crawls.id}`, isDescending: true },
  started: { key: sql`coalesce(${crawls.startedAt}, 0)`, isDescending: true },
  duration: {
    key: sql`coalesce(coalesce(${crawls.finishedAt}, ${crawls.updatedAt}) - ${crawls.startedAt}, 0)`,
    isDescending: true,
  },
  pages: { key: sql`${crawls.pages}`, isDescending: true },
  requests: { key: sql`${crawls.requests}`, isDescending: true },
  target: { key: sql`${crawls.target}`, isDescending: false },
} as const satisfies Record<CrawlSort, { key: SQL; isDescending: boolean }>;

export interface CrawlOrder {
  readonly sort?: CrawlSort | undefined;
  /** The opposite of the usual direction. */
  readonly isReversed?: boolean | undefined;
}

/** The place of a crawl in an order: its value and its id. The next page begins after it, however many rows precede it. */
export type CrawlPosition = readonly [key: number | string, id: number];

export interface CrawlIds {
  readonly ids: readonly number[];
  /** Where the next page begins; undefined after the last one. */
  readonly next: CrawlPosition | undefined;
}

/** A page of the ids of matching crawls, in order. */
export function listCrawlIds(
  db: Db,
  filter: CrawlFilter,
  { sort = 'id', isReversed = false, after, limit }: CrawlOrder & { after?: CrawlPosition | undefined; limit: number },
): CrawlIds {
  const { key, isDescending } = SORTS[sort];
  const direction = sql.raw(isDescending === isReversed ? 'asc' : 'desc');
  const comparison = sql.raw(isDescending === isReversed ? '>' : '<');
  const isAfter =
    after &&
    (sort === 'id'
      ? sql`${crawls.id} ${comparison} ${after[1]}`
      : sql`(${key}, ${crawls.id}) ${comparison} (${after[0]}, ${after[1]})`);
  const condition = toCrawlCondition(filter);
  // With `+`, ids are sorted: a rare value is found in `crawls_state`, instead of by reading all rows in the order of ids.
  const byId = condition && !filter.isTop ? sql`+${crawls.id} ${direction}` : sql`${crawls.id} ${direction}`;
  const rows = db
    .select({ id: crawls.id, key: sql<number | string>`${key}` })
    .from(crawls)
    .where(and(condition, isAfter))
    .orderBy(sort === 'id' ? byId : sql`${key} ${direction}, ${crawls.id} ${direction}`)
    .limit(limit)
    .all();
  const last = rows.at(-1);
  return {
    ids: rows.map(({ id }) => id),
    next: last === undefined || rows.length < limit ? undefined : [last.key, last.id],
  };
}

/** The first matching crawls, by default the newest first, and the number of all matching crawls. */
export function listCrawls(
  db: Db,
  { limit, sort, isReversed, ...filter }: CrawlFilter & CrawlOrder & { readonly limit: number },
): { crawls: CrawlRow[]; total: number } {
  const { ids } = listCrawlIds(db, filter, { sort, isReversed, limit });
  return { crawls: readCrawls(db, ids), total: countRows(db, crawls, toCrawlCondition(filter)) };
}

/** Reads crawls in the order of their ids in a list, without those that the store does not have. */
export function readCrawls(db: Db, ids: readonly number[]): CrawlRow[] {
  const rows = db.select().from(crawls).where(isAmongIds(crawls.id, ids)).all();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Crawls with the same values. */
export interface CrawlGroup {
  readonly state: CrawlRow['state'];
  readonly kind: string;
  readonly reason: string | null;
  readonly priority: string;
  /** The name of its job; null for crawls of commands. */
  readonly job: string | null;
  /** Its run, for the runs that a filter is about; otherwise null. */
  readonly runId: number | null;
  /** Whether it stopped before the end of its list, and its account is not forgotten. */
  readonly hasStopped: boolean;
  readonly n: number;
}

type GroupRow = [CrawlRow['state'], string, string | null, string, number | null, number, number];

/**
 * Groups the crawls whose target matches by everything else that a filter names. Without a target, it reads only the index
 * `crawls_state`, in its order. Runs are distinguished only if the filter names their job or themselves: there are very many.
 */
export function groupCrawls(db: Db, { target = '', jobs = [], runs: runIds = [] }: CrawlFilter): CrawlGroup[] {
  const jobOf = readRunJobs(db);
  const condition = toTargetCondition(target);
  const source = condition ? sql`${crawls} not indexed where ${condition}` : sql`${crawls} indexed by crawls_state`;
  const rows = db.values<GroupRow>(
    sql`select state, kind, reason, priority, run_id, ending is null and reason is not 'erased', count(*) from ${source}
      group by state, kind, reason, priority, run_id, ending`,
  );
  const groups = new Map<string, CrawlGroup>();
  for (const [state, kind, reason, priority, run, stopped, n] of rows) {
    const job = run === null ? null : (jobOf.get(run) ?? null);
    const runId = run !== null && ((job !== null && jobs.includes(job)) || runIds.includes(run)) ? run : null;
    const key = JSON.stringify([state, kind, reason, priority, job, runId, stopped]);
    const group = { state, kind, reason, priority, job, runId, hasStopped: stopped === 1 };
    groups.set(key, { ...group, n: n + (groups.get(key)?.n ?? 0) });
  }
  return [...groups.values()];
}

/** The names of the jobs of runs, by the id of the run. Runs of commands have none. */
const readRunJobs = (db: Db): ReadonlyMap<number, string> =>
  new Map(db.values<[number, string]>(sql`select id, job_name from ${runs} where job_name is not null`));

export interface FacetValue {
  readonly value: string;
  /** The number of crawls that match with this value and all conditions of other facets. */
  readonly n: number;
}

/** The facets, each with its value in a group and the values that a filter selects. */
const FACETS = {
  state: { valueOf: ({ state }: CrawlGroup) => state, selected: (filter: CrawlFilter) => filter.states },
  kind: { valueOf: ({ kind }: CrawlGroup) => kind, selected: (filter: CrawlFilter) => filter.kinds },
  reason: { valueOf: ({ reason }: CrawlGroup) => reason, selected: (filter: CrawlFilter) => filter.reasons },
  priority: { valueOf: ({ priority }: CrawlGroup) => priority, selected: (filter: CrawlFilter) => filter.priorities },
  job: { valueOf: ({ job }: CrawlGroup) => job, selected: (filter: CrawlFilter) => filter.jobs },
  run: {
    valueOf: ({ runId }: CrawlGroup) => (runId === null ? null : String(runId)),
    selected: (filter: CrawlFilter) => filter.runs?.map(String),
  },
} as const satisfies Record<string, object>;

export type FacetName = keyof typeof FACETS;
export const FACET_NAMES = Object.keys(FACETS) as readonly FacetName[];

/** The order of the values of a facet; those of others begin with the most frequent one. */
const ORDERS: Readonly<Partial<Record<FacetName, readonly string[]>>> = {
  state: CRAWL_STATES,
  kind: KIND_NAMES,
  priority: crawls.priority.enumValues,
};

export interface CrawlFacets {
  /** The number of crawls that match. */
  readonly total: number;
  /** Of these, those that `cancel` ends, and those that `resume` opens again. */
  readonly unfinished: number;
  readonly resumable: number;
  readonly facets: Readonly<Record<FacetName, readonly FacetValue[]>>;
}

/** The states in which `resume` opens a crawl again that stopped before the end of its list: `decideResume`. */
export const RESUMABLE_STATES: readonly CrawlRow['state'][] = ['partial', 'failed', 'cancelled'];
export const UNFINISHED_STATES: readonly CrawlRow['state'][] = ['queued', 'running', 'paused'];

/** Counts the crawls for each value of each facet, by all conditions but those of the facet itself. */
export function countFacets(groups: readonly CrawlGroup[], filter: CrawlFilter): CrawlFacets {
  const selected = FACET_NAMES.map((name) => {
    const values = FACETS[name].selected(filter);
    return values && new Set<string>(values);
  });
  const counts = FACET_NAMES.map((_, i) => new Map(Array.from(selected[i] ?? [], (value) => [value, 0])));
  let [total, unfinished, resumable] = [0, 0, 0];
  for (const group of groups) {
    const values = FACET_NAMES.map((name) => FACETS[name].valueOf(group));
    const excluding = selected.flatMap((wanted, i) => (wanted && !wanted.has(values[i] ?? '') ? [i] : []));
    if (excluding.length > 1) continue;
    // A crawl that one facet alone excludes counts for this facet.
    for (const i of excluding.length === 0 ? values.keys() : excluding) {
      const value = values[i];
      if (value != null) counts[i]!.set(value, (counts[i]!.get(value) ?? 0) + group.n);
    }
    if (excluding.length > 0) continue;
    total += group.n;
    if (UNFINISHED_STATES.includes(group.state)) unfinished += group.n;
    else if (group.hasStopped && RESUMABLE_STATES.includes(group.state)) resumable += group.n;
  }
  const facets = FACET_NAMES.map((name, i) => [name, sortValues(name, counts[i]!)] as const);
  return { total, unfinished, resumable, facets: Object.fromEntries(facets) as unknown as CrawlFacets['facets'] };
}

function sortValues(name: FacetName, counts: ReadonlyMap<string, number>): FacetValue[] {
  const values = Array.from(counts, ([value, n]) => ({ value, n }));
  const order = ORDERS[name];
  if (order) return values.toSorted((a, b) => order.indexOf(a.value) - order.indexOf(b.value));
  return values.toSorted((a, b) => b.n - a.n || (a.value < b.value ? -1 : 1));
}

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
function toCrawlCondition(filter: CrawlFilter): SQL | undefined {
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
function toTargetCondition(typed: string): SQL | undefined {
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
