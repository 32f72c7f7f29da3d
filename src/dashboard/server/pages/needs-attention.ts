import { adviseOnFailures, describeStopReason } from '#analysis/crawls/end-reasons.ts';
import { judgeJobs } from '#analysis/jobs/job-answer.ts';
import type { OutageAnswer, PauseAnswer, ShipAnswer, WorkersAnswer } from '#analysis/status/status-model.ts';
import { MINUTE, SECOND } from '#base/clock.ts';
import { capitalise, pluralize, toSentence } from '#base/text.ts';
import type { AttentionItem, CrawlState, GrowthData, QuotaData } from '#dashboard/server/api/overview.ts';
import { formatStoreCommand } from '#dashboard/server/reader/format-store-command.ts';
import type { ReadContext } from '#dashboard/server/reader/read.ts';
import { toShortLine } from '#dashboard/server/reader/short-line.ts';
import type { FailedCrawls } from './crawl-lines.ts';
import { findFieldChanges } from './read-quality.ts';

interface Observations {
  /** Why the queue cannot be read. */
  readonly problem: string | undefined;
  readonly outage: OutageAnswer | null;
  readonly paused: readonly PauseAnswer[];
  readonly quota: QuotaData | null;
  readonly growth: GrowthData;
  readonly work: WorkersAnswer;
  /** The times of due runs of jobs. */
  readonly dueTimes: readonly number[];
  readonly failed: FailedCrawls;
  readonly ship: readonly ShipAnswer[];
}

type Item = Pick<AttentionItem, 'id' | 'severity' | 'title'> & Partial<AttentionItem>;
type Check = (context: ReadContext, observed: Observations) => readonly Item[];

/** How long what is read slowly, and changes slowly, is kept. */
const SLOW_MS = 30 * SECOND;
const FIELDS_MS = 5 * MINUTE;

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

function findRefusedKey(context: ReadContext, { quota, paused }: Observations): Item[] {
  const stopped = paused.find(({ reason }) => reason === 'unauthorized');
  const refused = [quota?.priorities.interactive.hold, stopped].find((hold) => hold?.state === 'unauthorized');
  if (!refused) return [];
  return [
    {
      id: 'key',
      severity: 'error',
      title: toSentence(refused.cause),
      detail: stopped ? `${pluralize(stopped.crawls, 'crawl')} stopped and kept` : null,
      advice: `Set TRAWL_API_KEY to a valid key, then run ${formatStoreCommand(context.settings, 'work')}`,
    },
  ];
}

function findDisk(_: ReadContext, { growth: { state, label, sentence } }: Observations): Item[] {
  if (state === 'enough') return [];
  const isLow = state === 'low';
  return [
    {
      id: 'disk',
      severity: isLow ? 'error' : 'warning',
      title: `${label}: ${sentence}`,
      advice: `Free some space.${isLow ? ' Crawls resume by themselves.' : ''}`,
    },
  ];
}

/** Targets of shipping that are far behind, or whose backlog pauses all crawls. */
function findLateTargets(context: ReadContext, { ship }: Observations): Item[] {
  return ship
    .filter(({ state }) => state !== 'current')
    .map(({ state, target, sentence, waitingSince }) => ({
      id: `ship ${target}`,
      severity: state === 'full' ? 'error' : 'warning',
      title: state === 'full' ? 'Too many facts wait to be shipped: crawls pause' : 'Facts wait to be shipped',
      detail: `${target}: ${sentence}`,
      advice: formatStoreCommand(context.settings, 'lake ship'),
      since: waitingSince,
    }));
}

function findQueueProblem(_: ReadContext, { problem }: Observations): Item[] {
  if (problem === undefined) return [];
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

function findOutage(_: ReadContext, { outage }: Observations): Item[] {
  if (outage === null) return [];
  const { cause, error, since, until, next } = outage;
  return [
    {
      id: 'outage',
      severity: 'warning',
      title: toSentence(cause),
      detail: error,
      advice: 'Crawls resume by themselves.',
      since,
      until,
      untilLabel: capitalise(next),
    },
  ];
}

/** Crawls or jobs that no worker runs. */
function findMissingWorker(context: ReadContext, { work: { sentence, command }, dueTimes }: Observations): Item[] {
  if (command === null) return [];
  const due = dueTimes.length > 0 ? { since: Math.min(...dueTimes), link: '/schedules' } : {};
  const advice = formatStoreCommand(context.settings, command);
  const [title = '', detail = null] = sentence.split(': ');
  return [{ ...due, id: 'worker', severity: 'error', title: toSentence(title), detail, advice }];
}

/** Paused crawls by reason. The disk and the key have items of their own. */
function findPaused(_: ReadContext, { paused }: Observations): Item[] {
  return paused
    .filter(({ reason }) => reason !== 'unauthorized' && reason !== 'disk')
    .map(({ reason, crawls, cause, until }) => ({
      id: `paused ${reason}`,
      severity: 'warning',
      until,
      untilLabel: 'The first resumes',
      title: `${pluralize(crawls, 'crawl')} paused: ${cause}`,
      advice: until === null ? 'They resume by themselves.' : null,
      link: linkToCrawls('paused', reason),
    }));
}

/** Failed crawls by reason, without those that a later crawl repeats or replaces. */
function findFailed(context: ReadContext, { failed }: Observations): Item[] {
  return failed.reasons.map(({ reason, n, lastAt, error }) => ({
    id: `failed ${reason}`,
    severity: 'error',
    since: lastAt,
    detail: error,
    title: `${pluralize(n, 'crawl')} failed: ${reason === null ? 'no reason is known' : describeStopReason(reason)}`,
    advice: describeRemedy(context, adviseOnFailures(reason)),
    link: linkToCrawls('failed', reason),
  }));
}

const describeRemedy = ({ settings }: ReadContext, remedy: ReturnType<typeof adviseOnFailures>): string | null =>
  remedy && 'command' in remedy ? formatStoreCommand(settings, remedy.command) : (remedy?.sentence ?? null);

/** The address of the list with the crawls of a state and a reason. */
const linkToCrawls = (state: CrawlState, reason: string | null): string =>
  `/crawls?${new URLSearchParams({ state, ...(reason !== null && { reason }) }).toString()}`;

/** Jobs whose runs fail or find nothing new. Reading all runs takes long for many jobs, and they change slowly. */
function findJobs({ db, remember }: ReadContext): Item[] {
  return remember('jobs', SLOW_MS, () => judgeJobs(db)).map(({ alert, name, severity, message }) => ({
    id: `${alert} ${name}`,
    severity,
    title: toSentence(message),
    link: `/schedules/${encodeURIComponent(name)}`,
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
