import { desc, eq } from 'drizzle-orm';
import { type CrawlRecord, readCrawlRecord } from '#analysis/crawls/crawl-detail.ts';
import { describeEvidence } from '#analysis/crawls/crawl-evidence.ts';
import { readCrawlTimeline, readInterventions, readRequestsWithoutPage } from '#analysis/crawls/crawl-timeline.ts';
import { describeResumePoint, describeOptions } from '#analysis/crawls/describe-crawl.ts';
import { MINUTE } from '#base/clock.ts';
import { formatDuration } from '#base/units.ts';
import { decideResume } from '#crawl/slice/resume.ts';
import type { CrawlData, CrawlEventData, CrawlWaitCause, CrawlWaitData } from '#dashboard/server/api/crawl.ts';
import type { ReadContext, ReadRequest } from '#dashboard/server/reader/read.ts';
import { toShortLine } from '#dashboard/server/reader/short-line.ts';
import { getKind } from '#service/kinds/kinds.ts';
import { computeHeadrooms } from '#service/quota/priorities.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import { crawls, runs } from '#store/schema/tables.ts';
import { CRAWL_STATES } from '#store/schema/tables/crawl-states.ts';
import type { Db } from '#store/sqlite/database.ts';
import { readOwnLines } from './list-crawls.ts';

/** The number of child crawls, of failed requests and of waits that are listed. */
const CHILDREN = 20;
const FAILURES = 20;
const WAITS = 20;

const WAIT_CAUSES: Readonly<Record<CrawlWaitCause, string>> = {
  quota: 'too little of the quota was left for its priority',
  failure: 'the request before had failed',
  unknown: 'no cause is recorded; other crawls may have come first, or no worker ran',
};

/** Reads the page of a crawl; undefined if there is none. */
export function readCrawl(context: ReadContext, { parameters, queue }: ReadRequest): CrawlData | undefined {
  const { db, now } = context;
  const id = Number(/^\d{1,15}$/.exec(parameters['id'] ?? '')?.[0]);
  const record = Number.isNaN(id) ? undefined : readCrawlRecord(db, id);
  if (!record) return undefined;
  const { crawl, sources, rejects, dropped } = record;
  const waits = readWaits(context, crawl);
  const toLines = (ids: readonly number[]) => readOwnLines(context, ids, queue);
  return {
    at: now,
    line: toLines([id])[0]!,
    options: toShortLine(describeOptions(crawl)),
    lastError: crawl.error === null ? null : toShortLine(crawl.error),
    accountId: getKind(crawl.kind).targetType === 'account' ? crawl.targetRestId : null,
    runId: crawl.runId,
    job: readJob(db, crawl.runId),
    rejectedItems: crawl.rejectedItems,
    changes: crawl.changes,
    evidence: describeEvidence(crawl).map(toShortLine),
    actions: listActions(crawl),
    plan: toPlan(record),
    tree: record.descendants === 0 ? null : { pages: record.treePages, requests: record.treeRequests },
    timeline: toTimeline(db, crawl),
    waits,
    outcomes: record.requests.map(({ endpoint, status, requests, bytes, durationMs }) => ({
      endpoint,
      status,
      requests,
      bytes,
      meanMs: durationMs / requests,
    })),
    events: listEvents(db, crawl, waits),
    parent: crawl.parentId === null ? null : (toLines([crawl.parentId])[0] ?? null),
    children: {
      ...countChildren(record),
      rows: toLines(readChildIds(db, id)),
    },
    rejects: rejects.map(({ path, reason }) => ({
      path: toShortLine(path),
      reason: toShortLine(reason),
    })),
    sources: sources.map(({ serviceHost, keyLabel, ...source }) => ({
      ...source,
      serviceHost: toShortLine(serviceHost),
      keyLabel: toShortLine(keyLabel),
    })),
    dropped: dropped.map(({ field, reason, values, sample }) => ({
      field: toShortLine(field),
      reason: toShortLine(reason),
      values,
      sample: toShortLine(sample),
    })),
  };
}

/** An unfinished crawl can be cancelled, one that stopped can continue, and any other one can be crawled again. */
function listActions(crawl: CrawlRow): CrawlData['actions'] {
  const { finishedAt, reason, state } = crawl;
  // The store no longer knows what it was about.
  if (reason === 'erased') return [];
  if (finishedAt === null)
    return [
      {
        name: 'cancel',
        label: 'Cancel',
        explanation: 'Its unfinished child crawls are cancelled, too. Stored rows are kept, and it can be resumed.',
      },
    ];
  if ('refused' in decideResume(crawl))
    return [
      {
        name: 'repeat',
        label: 'Crawl again',
        explanation: 'A new crawl with the same target and options is queued. Each page costs a request.',
      },
    ];
  return [
    {
      name: 'resume',
      label: state === 'failed' ? 'Retry' : 'Resume',
      explanation: `It is queued again, and ${describeResumePoint(crawl)}. Each page costs a request.`,
    },
  ];
}

function toPlan({ crawl }: CrawlRecord): CrawlData['plan'] {
  const { plannedRequestsMin: min, plannedRequestsExpected: expected, plannedRequestsMax: max } = crawl;
  return min === null ? null : { min, expected, max };
}

const readJob = (db: Db, runId: number | null): string | null =>
  runId === null ? null : (db.select({ job: runs.jobName }).from(runs).where(eq(runs.id, runId)).get()?.job ?? null);

function toTimeline(db: Db, crawl: CrawlRow): CrawlData['timeline'] {
  const { from, periods } = readCrawlTimeline(db, crawl);
  let [requests, pages, failed] = [0, 0, 0];
  const points = periods.map((period) => {
    requests += period.requests;
    pages += period.pages;
    failed += period.failed;
    return [period.at, requests, pages, failed] as const;
  });
  return { from, points };
}

function listEvents(db: Db, crawl: CrawlRow, waits: readonly CrawlWaitData[]): CrawlEventData[] {
  const { id, createdAt, startedAt, finishedAt, state } = crawl;
  const event = (at: number | null, text: string, isProblem = false): CrawlEventData[] =>
    at === null ? [] : [{ at, text, isProblem }];
  const failures = readRequestsWithoutPage(db, id, FAILURES).map(({ at, endpoint, status, error, isNotFound }) => ({
    at,
    isProblem: isNotFound === 0,
    text: toShortLine(
      `${endpoint}: ${status === null ? 'no response' : `status ${status}`}${error === null ? '' : `, ${error}`}`,
    ),
  }));
  const interventions = readInterventions(db, id).map(({ at, what }) => ({
    at,
    isProblem: false,
    text: what === 'cancelled' ? 'Cancelled by a user' : 'Resumed by a user',
  }));
  const end = state === 'cancelled' ? [] : event(finishedAt, `Ended ${state}`, state === 'failed');
  const pauses = waits.slice(-WAITS).map(({ from, to, cause }) => ({
    at: from,
    isProblem: false,
    text: `Waited ${formatDuration(to - from)}: ${WAIT_CAUSES[cause]}`,
  }));
  return [
    ...event(createdAt, 'Created'),
    ...event(startedAt, 'Started'),
    ...pauses,
    ...failures,
    ...interventions,
    ...end,
    // Of the same time, the latest is the last one.
  ]
    .toSorted((a, b) => a.at - b.at)
    .toReversed();
}

function countChildren({ children, descendants: total }: CrawlRecord): Pick<CrawlData['children'], 'total' | 'states'> {
  const states = CRAWL_STATES.flatMap((state) => (children[state] ? [{ state, n: children[state] }] : []));
  return { states, total };
}

const readChildIds = (db: Db, id: number): number[] =>
  db
    .select({ id: crawls.id })
    .from(crawls)
    .where(eq(crawls.parentId, id))
    .orderBy(desc(crawls.id))
    .limit(CHILDREN)
    .all()
    .map((row) => row.id);

/** A shorter time without a response is no wait: responses may be slow, and crawls take turns. */
const LEAST_MS = 2 * MINUTE;
/** Workers ask token-info at least twice a minute. */
const NEAR_MS = MINUTE;

/** A time between two usable responses. */
interface Pause {
  readonly from: number;
  readonly to: number;
  /** The first request in it that the service refused or did not answer. */
  readonly failedAt: number | null;
  readonly status: number | null;
}

const PAUSES = `with usable as (select id, sent_at, sent_at + duration_ms as ended from requests
    where crawl_id = @id and status is not null and status < 500 and status not in (408, 429)),
  pauses as (select @start as "from", min(sent_at) as "to", 0 as after, min(id) as before from usable
    union all select ended, lead(sent_at) over (order by id), id, lead(id) over (order by id) from usable)
  select "from", coalesce("to", @end) as "to", failed.sent_at as failedAt, failed.status from pauses
  left join requests failed on failed.id = (select min(id) from requests
    where crawl_id = @id and id > pauses.after and id < coalesce(pauses.before, 9e18))
  where coalesce("to", @end) - "from" >= @least order by 1`;

/**
 * Reads when a crawl got no usable response for minutes, and why, as far as its requests and the samples of the quota show
 * it. A pause that goes on is left out: its reason is in the row of the crawl.
 */
function readWaits(context: ReadContext, crawl: CrawlRow): CrawlWaitData[] {
  const { id, startedAt, finishedAt, updatedAt, state } = crawl;
  if (startedAt === null) return [];
  const end = finishedAt ?? (state === 'paused' ? updatedAt : context.now);
  const pauses = context.db.$client
    .prepare<[object], Pause>(PAUSES)
    .all({ id, start: BigInt(startedAt), end: BigInt(end), least: BigInt(LEAST_MS) });
  if (pauses.length === 0) return [];
  const isLow = readLowQuota(context, crawl, pauses[0]!.from, pauses.at(-1)!.to);
  return pauses.flatMap(({ from, to, failedAt, status }) => {
    const waits: CrawlWaitData[] = [
      { from, to: failedAt ?? to, cause: isLow(from) ? 'quota' : 'unknown' },
      ...(failedAt === null ? [] : [{ from: failedAt, to, cause: toCause(status) }]),
    ];
    return waits.filter((wait) => wait.to - wait.from >= LEAST_MS);
  });
}

const toCause = (status: number | null): CrawlWaitCause => (status === 429 ? 'quota' : 'failure');

/** Returns whether the quota was too low for the priority of a crawl at a time. */
function readLowQuota(
  { db, settings }: ReadContext,
  { priority }: CrawlRow,
  first: number,
  last: number,
): (at: number) => boolean {
  const samples = db.$client
    .prepare<[bigint, bigint], { at: number; limit: number; left: number }>(
      'select sampled_at as at, request_limit as "limit", remaining as left from _quota_samples where sampled_at between ? and ?',
    )
    .all(BigInt(first - NEAR_MS), BigInt(last));
  const low = samples.filter(
    ({ limit, left }) => left <= computeHeadrooms(limit, settings.reserve, settings.headroomShares)[priority],
  );
  return (from) => low.some(({ at }) => Math.abs(at - from) <= NEAR_MS);
}
