import { sql } from 'drizzle-orm';
import { KIND_NAMES } from '../../service/kinds/kinds.ts';
import type { CrawlRow } from '../../store/schema/crawl-row.ts';
import { crawls, runs } from '../../store/schema/tables.ts';
import { CRAWL_STATES } from '../../store/schema/tables/crawl-states.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { type CrawlFilter, toTargetCondition } from './crawl-filter.ts';

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
