import type Database from 'better-sqlite3';
import { type CrawlOptions, type KindName, kindTable } from '../../../src/kinds/kinds.ts';
import type { Activation } from '../process.ts';
import type { Failure, Run } from '../run.ts';
import type { Served } from '../service.ts';

/** A row of `crawls` as the oracle reads it. */
export interface CrawlFacts {
  readonly id: number;
  readonly parent_id: number | null;
  readonly kind: KindName;
  readonly target: string;
  readonly handle: string | null;
  readonly target_id: string | null;
  readonly options: string;
  readonly state: string;
  readonly reason: string | null;
  readonly ending: string | null;
  readonly error: string | null;
  readonly pages: number;
  readonly items: number;
  readonly rejected: number;
  readonly requests: number;
  readonly unknown_requests: number;
  readonly in_flight: number;
  readonly run_id: number | null;
  readonly root_id: number | null;
  readonly lease: number;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  /** Read from `options`. */
  readonly limits: CrawlOptions;
}

/** What the oracle goes by: what was served, what of it the store kept, and the ground truth. */
export interface Evidence extends Run {
  readonly look: Database.Database;
  readonly crawls: readonly CrawlFacts[];
  /** Answers whose bodies the store holds, in the order they were asked for. */
  readonly kept: readonly Served[];
  readonly keptSet: ReadonlySet<Served>;
  keptBy(crawlId: number): readonly Served[];
  sentBy(crawlId: number): readonly Served[];
  activationOf(entry: Served): Activation;
  fail(invariant: string, story: string): void;
}

interface RawRow {
  readonly crawl_id: number;
  readonly endpoint: string;
  readonly parameters: string;
  readonly status: number;
  readonly fetched_at: number;
  readonly hash: string;
}

/** Reads the store after a run, and tells which answers it holds. What it holds and nobody served is a failure. */
export function gatherEvidence(run: Run, look: Database.Database): Evidence & { readonly found: Failure[] } {
  const found: Failure[] = [...run.failures];
  const fail = (invariant: string, story: string): void => void found.push({ invariant, story });
  const crawls = (look.prepare('select * from crawls order by id').all() as CrawlFacts[]).map((row) => ({
    ...row,
    limits: JSON.parse(row.options) as CrawlOptions,
  }));
  const raw = look.prepare('select * from raw_pages order by id').all() as RawRow[];
  const keptSet = new Set<Served>();
  for (const row of raw) {
    const is = (entry: Served): boolean =>
      !keptSet.has(entry) &&
      entry.sender.crawlId === row.crawl_id &&
      entry.endpoint === row.endpoint &&
      entry.at === row.fetched_at &&
      entry.status === row.status &&
      entry.hash === row.hash &&
      JSON.stringify(entry.parameters) === row.parameters;
    // Two that asked the same at the same moment: it is rather that of the one who may keep it.
    const same = run.log.filter((one) => one.delivered && is(one));
    const entry = same.find(({ sender }) => run.activations[sender.activation]!.clean) ?? same[0];
    if (entry) keptSet.add(entry);
    else fail('invariant 10', `a page in raw that nobody served: ${JSON.stringify(row)}`);
  }
  const kept = run.log.filter((entry) => keptSet.has(entry));
  return {
    ...{ ...run, look, crawls, kept, keptSet, found, fail },
    keptBy: (crawlId) => kept.filter(({ sender }) => sender.crawlId === crawlId),
    sentBy: (crawlId) => run.log.filter(({ sender }) => sender.crawlId === crawlId),
    activationOf: ({ sender }) => run.activations[sender.activation]!,
  };
}

/** A page by which the crawl's handle is somebody else's by now: who that is has to be looked up, if there is quota. */
export const showsLostHandle = ({ kind, target, handle }: CrawlFacts, { heard }: Served): boolean =>
  kindTable[kind].targetType === 'account' &&
  // Of a job, a crawl by id has the handle that the job names.
  (!target.startsWith('id:') || handle !== null) &&
  heard?.ownerHandle !== undefined &&
  heard.ownerHandle.toLowerCase() !== (target.startsWith('id:') ? handle!.toLowerCase() : target);

/** One answer in words. */
export const describeRequest = ({ n, sender, endpoint, parameters, status, fault, at }: Served): string =>
  `request ${n} (crawl ${sender.crawlId}, process ${sender.process}, ${at}): ${endpoint} ${Object.values(parameters).join(' ')} -> ${status ?? 'no answer'}${fault ? ` (${fault})` : ''}`;
