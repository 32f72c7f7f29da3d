import type { Overview } from '../../../../analysis/crawls/crawl-overview.ts';
import { describeStopReason, findRemedy, type Remedy } from '../../../../analysis/crawls/crawl-reasons.ts';
import { describeShipLag, isBacklogFull, LONG_SHIP_LAG_MS, type ShipLag } from '../../../../analysis/ship-lag.ts';
import { MINUTE, SECOND } from '../../../../base/clock.ts';
import { capitalise, toSentence, pluralize } from '../../../../base/text.ts';
import {
  describeCause,
  describeNext,
  findOutageHold,
  findPauseHold,
  type HoldConditions,
} from '../../../../crawl/gates/holds.ts';
import { listNextRuns } from '../../../../crawl/jobs/next-runs.ts';
import { readSchedule } from '../../../../store/crawls/stored-schedule.ts';
import type { AttentionItem, CrawlState, GrowthData, OverviewData, WorkData } from '../../api/overview.ts';
import { formatStoreCommand } from '../../reader/format-store-command.ts';
import type { QueueReading, ReadContext } from '../../reader/read.ts';
import { toShortLine } from '../../reader/short-line.ts';
import { findFieldChanges } from '../quality/field-changes.ts';
import { judgeJobs } from '../schedules/job-attention.ts';
import type { FailedCrawls } from './failed-crawls.ts';

interface Observations {
  readonly overview: Overview;
  readonly queue: QueueReading;
  readonly growth: GrowthData;
  readonly work: WorkData;
  readonly counts: OverviewData['counts'];
  readonly failed: FailedCrawls;
  readonly lags: readonly ShipLag[];
}

type Item = Pick<AttentionItem, 'id' | 'severity' | 'title'> & Partial<AttentionItem>;
type Check = (context: ReadContext, observed: Observations) => readonly Item[];

/** How long what is read slowly, and changes slowly, is kept. */
const SLOW_MS = 30 * SECOND;
const FIELDS_MS = 5 * MINUTE;
/** Days of disk space below which a person should act. */
const FEW_DAYS = 7;

/** The checks in the order of urgency: what stops all crawls, then what stops some, then what failed. */
const CHECKS: readonly Check[] = [
  findRefusedKey,
  findDisk,
  findLateTargets,
  findQueueProblem,
  findOutage,
  findMissingWorker,
  findPaused,
  findFailed,
  findJobs,
  findChangedFields,
];

/** Lists what a person should know or do, the most urgent first. */
export const listAttention = (context: ReadContext, observed: Observations): AttentionItem[] =>
  CHECKS.flatMap((check) => check(context, observed))
    .map((item) => ({ advice: null, link: null, since: null, until: null, untilLabel: '', ...item }))
    .map(({ title, detail = null, ...item }) => ({
      ...item,
      title: toShortLine(title),
      detail: detail === null ? null : toShortLine(detail),
    }))
    .toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'));

function findRefusedKey(context: ReadContext, { overview, queue }: Observations): Item[] {
  const status = queue && 'quota' in queue ? queue.quota : undefined;
  const isDead = status !== undefined && Object.values(status.priorities).some(({ reason }) => reason === 'key_dead');
  const stopped = overview.paused.find(({ reason }) => reason === 'unauthorized');
  if (!isDead && !stopped) return [];
  return [
    {
      id: 'key',
      severity: 'error',
      title: toSentence(describeCause({ kind: 'unauthorized' })),
      detail: stopped ? `${pluralize(stopped.n, 'crawl')} stopped and kept` : null,
      advice: `Set TRAWL_API_KEY to a valid key, then run ${formatStoreCommand(context.settings, 'work')}`,
    },
  ];
}

function findDisk(_: ReadContext, { growth: { free, minFree, daysLeft } }: Observations): Item[] {
  if (free < minFree)
    return [
      {
        id: 'disk',
        severity: 'error',
        title: 'The disk is almost full: crawls pause',
        advice: 'Free some space. Crawls resume by themselves.',
      },
    ];
  if (daysLeft === null || daysLeft >= FEW_DAYS) return [];
  const days = daysLeft < 1 ? 'less than a day' : `about ${pluralize(Math.floor(daysLeft), 'day')}`;
  return [{ id: 'disk', severity: 'warning', title: `The disk has space for ${days}`, advice: 'Free some space.' }];
}

/** Targets of shipping that are far behind, or whose backlog pauses all crawls. */
function findLateTargets(context: ReadContext, { lags }: Observations): Item[] {
  return lags
    .filter((lag) => isBacklogFull(lag) || lag.ms >= LONG_SHIP_LAG_MS)
    .map((lag) => ({
      id: `ship ${lag.address}`,
      severity: isBacklogFull(lag) ? 'error' : 'warning',
      title: isBacklogFull(lag) ? 'Too many facts wait to be shipped: crawls pause' : 'Facts wait to be shipped',
      detail: `${lag.address}: ${describeShipLag(lag)}`,
      advice: formatStoreCommand(context.settings, 'lake ship'),
      since: context.now - lag.ms,
    }));
}

function findQueueProblem(_: ReadContext, { work: { problem } }: Observations): Item[] {
  if (problem === null) return [];
  const [title = '', ...detail] = problem.split('\n');
  return [
    {
      id: 'queue',
      severity: 'error',
      title: toSentence(title),
      detail: detail.join(' ').trim() || null,
      advice: 'Crawls are kept in the store and resume when Redis is back.',
    },
  ];
}

const readConditions = (queue: QueueReading): HoldConditions =>
  queue === undefined || 'problem' in queue ? {} : { quota: queue.quota, outage: queue.outage };

function findOutage(_: ReadContext, { queue }: Observations): Item[] {
  const hold = findOutageHold(readConditions(queue).outage);
  if (hold === undefined) return [];
  const { since = null, until = null, why = null } = hold;
  return [
    {
      id: 'outage',
      severity: 'warning',
      title: toSentence(describeCause(hold)),
      detail: why,
      advice: 'Crawls resume by themselves.',
      since,
      until,
      untilLabel: capitalise(describeNext(hold)),
    },
  ];
}

/** Unfinished crawls or, without any, jobs that are due, while no worker is running. */
function findMissingWorker(context: ReadContext, { work: { workers, runs }, counts }: Observations): Item[] {
  const { queued = 0, running = 0, paused = 0 } = counts;
  const unfinished = queued + running + paused;
  if (workers !== 0 || (unfinished > 0 && runs > 0)) return [];
  const due = unfinished > 0 ? [] : readDueTimes(context);
  if (unfinished + due.length === 0) return [];
  const waiting =
    unfinished > 0
      ? { detail: `${pluralize(unfinished, 'unfinished crawl')} ${unfinished === 1 ? 'waits' : 'wait'}` }
      : {
          detail: `${pluralize(due.length, 'scheduled job')} ${due.length === 1 ? 'is' : 'are'} due`,
          since: Math.min(...due),
          link: '/schedules',
        };
  const advice = formatStoreCommand(context.settings, 'work');
  return [{ ...waiting, id: 'worker', severity: 'error', title: 'No worker running', advice }];
}

/** The times of due runs of jobs. */
const readDueTimes = ({ db, now, remember }: ReadContext): number[] =>
  remember('due jobs', SLOW_MS, () => readSchedule(db).flatMap((entry) => listNextRuns(entry, now, 1)[0] ?? [])).filter(
    (at) => at <= now,
  );

/** Paused crawls by reason. The service, the disk and the key have items of their own. */
function findPaused(_: ReadContext, { overview, queue }: Observations): Item[] {
  const own = ['unauthorized', 'disk'];
  return overview.paused
    .filter(({ reason }) => !own.includes(reason ?? ''))
    .map((pause) => {
      const { reason, n } = pause;
      const hold = findPauseHold(pause, readConditions(queue));
      // The crawl that is to resume first may not, if the quota is still low.
      const until = hold?.until ?? pause.until;
      return {
        id: `paused ${reason}`,
        severity: 'warning',
        until,
        untilLabel: 'The first resumes',
        title: `${pluralize(n, 'crawl')} paused: ${hold ? describeCause(hold) : 'no reason is known'}`,
        advice: until === null ? 'They resume by themselves.' : null,
        link: linkToCrawls('paused', reason),
      };
    });
}

/** Failed crawls by reason, without those that a later crawl repeats or replaces. */
function findFailed(context: ReadContext, { failed }: Observations): Item[] {
  return failed.reasons.map(({ reason, n, lastAt, error }) => ({
    id: `failed ${reason}`,
    severity: 'error',
    since: lastAt,
    detail: error,
    title: `${pluralize(n, 'crawl')} failed: ${reason === null ? 'no reason is known' : describeStopReason(reason)}`,
    advice: describeRemedy(context, findRemedy(reason)),
    link: linkToCrawls('failed', reason),
  }));
}

const describeRemedy = ({ settings }: ReadContext, remedy: Remedy | undefined): string | null =>
  remedy && 'command' in remedy ? formatStoreCommand(settings, remedy.command) : (remedy?.sentence ?? null);

/** The address of the list with the crawls of a state and a reason. */
const linkToCrawls = (state: CrawlState, reason: string | null): string =>
  `/crawls?${new URLSearchParams({ state, ...(reason !== null && { reason }) }).toString()}`;

/** Jobs whose runs fail or find nothing new. Reading all runs takes long for many jobs, and they change slowly. */
function findJobs({ db, remember }: ReadContext): Item[] {
  return remember('jobs', SLOW_MS, () => judgeJobs(db)).map(({ alert, job, severity, message }) => ({
    id: `${alert} ${job}`,
    severity,
    title: message,
    link: `/schedules/${encodeURIComponent(job)}`,
  }));
}

/** What the service no longer sends, and cursors that end lists. */
function findChangedFields({ db, remember }: ReadContext): Item[] {
  return remember('field changes', FIELDS_MS, () => findFieldChanges(db)).map((change) => ({
    id: `fields ${change}`,
    severity: 'warning',
    title: 'The service has changed',
    detail: change,
    link: '/quality',
  }));
}
