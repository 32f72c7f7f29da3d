import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type Database from 'better-sqlite3';
import { type CrawlOptions, type KindName, kindTable } from '#service/kinds/kinds.ts';
import type { Activation } from '../process.ts';
import type { Failure, Run } from '../run.ts';
import type { Served } from '../service.ts';

export interface CrawlFacts {
  readonly id: number;
  readonly parent_id: number | null;
  readonly kind: KindName;
  readonly target: string;
  readonly handle: string | null;
  readonly target_rest_id: string | null;
  readonly options: string;
  readonly state: string;
  readonly reason: string | null;
  readonly ending: string | null;
  readonly error: string | null;
  readonly pages: number;
  readonly items: number;
  readonly rejected_items: number;
  readonly requests: number;
  readonly unknown_requests: number;
  readonly in_flight_requests: number;
  readonly run_id: number | null;
  readonly root_id: number | null;
  readonly lease_token: number;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  /** Read from `options`. */
  readonly limits: CrawlOptions;
}

/** The evidence of the oracle: served responses, stored responses and the ground truth. */
export interface Evidence extends Run {
  readonly db: Database.Database;
  readonly crawls: readonly CrawlFacts[];
  /** Responses whose bodies are stored, in the order of requests. */
  readonly stored: readonly Served[];
  readonly storedSet: ReadonlySet<Served>;
  storedBy(crawlId: number): readonly Served[];
  sentBy(crawlId: number): readonly Served[];
  activationOf(entry: Served): Activation;
  fail(invariant: string, message: string): void;
}

interface RawRow {
  readonly id: number;
  readonly crawl_id: number;
  readonly endpoint: string;
  readonly parameters: string;
  readonly status: number;
  readonly fetched_at: number;
  readonly hash: string;
  readonly encoding: 'br' | 'gzip';
  readonly headers: string;
  readonly body: Buffer;
}

/** Whether the stored body decodes to the bytes of its hash. */
function isIntact({ encoding, body, hash }: RawRow): boolean {
  try {
    const decoded = encoding === 'gzip' ? gunzipSync(body) : brotliDecompressSync(body);
    return createHash('sha256').update(decoded).digest('hex') === hash;
  } catch {
    return false;
  }
}

/** Reads the store after a run and matches bodies to responses. A body that was not served is a failure. */
export function gatherEvidence(run: Run, db: Database.Database): Evidence & { readonly found: Failure[] } {
  const found: Failure[] = [...run.failures];
  const fail = (invariant: string, message: string): void => void found.push({ invariant, message });
  const crawls = (db.prepare('select * from crawls order by id').all() as CrawlFacts[]).map((row) => ({
    ...row,
    limits: JSON.parse(row.options) as CrawlOptions,
  }));
  const raw = db.prepare('select * from raw_pages order by id').all() as RawRow[];
  const storedSet = new Set<Served>();
  for (const row of raw) {
    if (!isIntact(row)) fail('invariant 10', `the body of page ${row.id} is not the one that was served`);
    const is = (entry: Served): boolean =>
      !storedSet.has(entry) &&
      entry.sender.crawlId === row.crawl_id &&
      entry.endpoint === row.endpoint &&
      entry.at === row.fetched_at &&
      entry.status === row.status &&
      entry.hash === row.hash &&
      JSON.stringify(entry.headers) === row.headers &&
      JSON.stringify(entry.parameters) === row.parameters;
    // Of two equal requests at the same time, prefer that of the sender who may store it.
    const same = run.log.filter((one) => one.delivered && is(one));
    const entry = same.find(({ sender }) => run.activations[sender.activation]!.isClean) ?? same[0];
    if (entry) storedSet.add(entry);
    else fail('invariant 10', `a stored body that was never served: ${JSON.stringify(row)}`);
  }
  const stored = run.log.filter((entry) => storedSet.has(entry));
  return {
    ...run,
    db,
    crawls,
    stored,
    storedSet,
    found,
    fail,
    storedBy: (crawlId) => stored.filter(({ sender }) => sender.crawlId === crawlId),
    sentBy: (crawlId) => run.log.filter(({ sender }) => sender.crawlId === crawlId),
    activationOf: ({ sender }) => run.activations[sender.activation]!,
  };
}

/** Whether a page shows another holder of the crawl's handle, who has to be looked up. */
export const showsLostHandle = ({ kind, target, handle }: CrawlFacts, { parsed }: Served): boolean =>
  kindTable[kind].targetType === 'account' &&
  // A crawl by id of a job has the handle that the job names.
  (!target.startsWith('id:') || handle !== null) &&
  parsed?.ownerHandle !== undefined &&
  parsed.ownerHandle.toLowerCase() !== (target.startsWith('id:') ? handle!.toLowerCase() : target);

export const describeRequest = ({ n, sender, endpoint, parameters, status, fault, at }: Served): string =>
  `request ${n} (crawl ${sender.crawlId}, process ${sender.process}, ${at}): ${endpoint} ${Object.values(parameters).join(' ')} -> ${status ?? 'no answer'}${fault ? ` (${fault})` : ''}`;

/**
 * Returns the times of a crawl's oldest response, which may be cached, and of its last one. A crawl finishes at the time of
 * its last request, before the service responds.
 */
export function timesOf({ sentBy }: Evidence, crawl: CrawlFacts): readonly [first: number, last: number] {
  const sent = sentBy(crawl.id);
  return [
    Math.min(crawl.created_at, ...sent.map(({ madeAt }) => madeAt ?? Infinity)),
    Math.max(crawl.finished_at!, ...sent.map(({ answeredAt }) => answeredAt ?? 0)),
  ];
}

/** Maximum time between a response and its storing. */
export const MAX_STORE_DELAY_MS = 5000;

export const describeEnding = ({ id, kind, target, state, reason, ending }: CrawlFacts): string =>
  `crawl ${id} (${kind} ${target}) ended ${[state, reason, ending].filter(Boolean).join(', ')}`;

/** The number of different items that pages show. */
export const shownOn = (pages: readonly Served[]): number =>
  new Set(pages.flatMap(({ parsed }) => parsed?.items ?? [])).size;

/** The value that names the target of a request. */
export const subjectOf = ({ parameters }: Served): string => Object.values(parameters)[0] ?? '';

/** The ids of the accounts that stored responses showed with a handle before a time, in the order of requests. */
export const findHolders = ({ stored }: Pick<Evidence, 'stored'>, handle: string, before: number): string[] =>
  stored
    .filter(({ answeredAt = Infinity }) => answeredAt < before)
    .flatMap(({ parsed }) => parsed?.users ?? [])
    .filter(({ values }) => String(values['screen_name']).toLowerCase() === handle.toLowerCase())
    .map(({ id }) => id);
