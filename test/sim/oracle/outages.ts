import { MINUTE, SECOND } from '#base/clock.ts';
import { FAULTS } from '../faults.ts';
import { isOut, type OutagePlan } from '../outages.ts';
import type { Served } from '../service.ts';
import { type CrawlFacts, type Evidence, describeRequest } from './evidence.ts';

/**
 * Invariants 9 and 14: nothing fails because of an outage, and an outage costs only the requests in flight when it
 * began, those that detect it (5 in a row), and probes.
 */
export function checkOutages(evidence: Evidence): void {
  for (const crawl of evidence.crawls)
    if (crawl.state === 'failed' && crawl.reason === 'unreachable') checkUnreachable(evidence, crawl);
  for (const outage of evidence.plan.outages ?? []) checkRequests(evidence, outage);
  checkEvents(evidence);
}

const FAILURES = 8;
/** Maximum age of another target's success that shows that the endpoint works. */
const RECENT_MS = 2 * MINUTE;

/**
 * A crawl fails only after 8 failures, while other targets of the endpoint succeed. A page that the store refuses counts as one,
 * and so does the first request of an outage, which looks like any other failure.
 */
function checkUnreachable(evidence: Evidence, crawl: CrawlFacts): void {
  const targets = new Map(evidence.crawls.map(({ id, target }) => [id, target]));
  const canRefuse = evidence.plan.disturbances.some(({ what }) => what === 'store refuses');
  const isRefused = ({ status }: Served): boolean => canRefuse && status === 200;
  const own = evidence
    .sentBy(crawl.id)
    .filter((one, i, { length }) =>
      one.outage ? i === length - 1 : isRefused(one) || (one.fault && FAULTS[one.fault].effect === 'no page'),
    );
  const counted = own.filter((failure, i) => {
    const since = own[i - 1]?.at ?? failure.at - RECENT_MS;
    if (isRefused(failure)) return true;
    return evidence.log.some(
      (other) =>
        other.endpoint === failure.endpoint &&
        targets.get(other.sender.crawlId) !== crawl.target &&
        (other.status === 200 || other.status === 404) &&
        (other.answeredAt ?? 0) >= since &&
        other.at <= (failure.answeredAt ?? failure.at),
    );
  });
  if (counted.length < FAILURES)
    evidence.fail('invariant 14', `crawl ${crawl.id} is unreachable after ${counted.length} failures of its own`);
}

const TO_OPEN = 5;
const LONGEST_RETRY_AFTER = 15 * MINUTE;

/** The longest delay between probes, by the age of the outage. */
const longestDelay = (age: number): number =>
  age < 10 * MINUTE ? 30 * SECOND : age < 60 * MINUTE ? MINUTE : 5 * MINUTE;

/** Returns the maximum number of probes: the back-off doubles from 1 s, with jitter down to half. */
export function mostProbes({ lasts, how, retryAfter = 0 }: Pick<OutagePlan, 'lasts' | 'how' | 'retryAfter'>): number {
  const retryAfterMs = how.startsWith('status') ? Math.min(retryAfter * SECOND, LONGEST_RETRY_AFTER) : 0;
  let probes = 0;
  for (let at = 0; at <= lasts; probes++)
    at += Math.max(SECOND, retryAfterMs, Math.min(longestDelay(at), SECOND * 2 ** probes) / 2);
  return probes;
}

function checkRequests({ plan, log, fail, startedAt, kills }: Evidence, outage: OutagePlan): void {
  const affected = log.filter((entry) => entry.outage === outage);
  if (affected.length === 0) return;
  const endpoints = new Set(affected.map(({ endpoint }) => endpoint)).size;
  const slots = new Set(affected.map(({ sender }) => sender.process)).size * plan.slots;
  // A response to an earlier request interrupts the failures in a row.
  const begins = startedAt + outage.at;
  const late = log.filter(
    ({ at, answeredAt = 0, endpoint, outage: by }) =>
      !by && at <= begins + LATEST_MS && answeredAt >= begins && isOut(outage, endpoint, outage.at),
  ).length;
  // Single endpoints may be probed before the service counts as out.
  const lines = Math.min(2, endpoints);
  const most = slots + TO_OPEN * (endpoints + late) + lines * mostProbes(outage) + kills * plan.slots;
  if (affected.length > most)
    fail(
      'invariant 9',
      `${affected.length} requests, at most ${most} expected, in an outage: ${JSON.stringify(outage)}; the last was ${describeRequest(affected.at(-1)!)}`,
    );
  // Before it reaches the endpoint that is out, a page may repeat one 404 of each other endpoint: its own and the one that confirms it.
  const repeated = listRepeated(log, outage, startedAt);
  for (const endpoint of new Set(repeated.map((request) => request.endpoint))) {
    const again = repeated.filter((request) => request.endpoint === endpoint);
    if (again.length > most)
      fail(
        'invariant 9',
        `${again.length} 404s were requested again, at most ${most} expected, in an outage of other endpoints: ${JSON.stringify(outage)}; the last was ${describeRequest(again.at(-1)!)}`,
      );
  }
  // A killed process may leave a failure per slot unreported.
  checkRetryAfter(log, outage, TO_OPEN + kills * plan.slots, fail);
}

/** Requests with a 404 of their own, which a look-up follows, that crawls sent again during an outage of other endpoints. */
function listRepeated(log: Evidence['log'], outage: OutagePlan, startedAt: number): Served[] {
  const sent = new Set<string>();
  return log.filter(({ at, status, refusal, endpoint, sender, parameters }) => {
    const since = at - startedAt - outage.at;
    if (status !== 404 || refusal || since < 0 || since >= outage.lasts) return false;
    const request = JSON.stringify([sender.crawlId, endpoint, parameters]);
    const isRepeated = sent.has(request);
    sent.add(request);
    return isRepeated;
  });
}

/** Maximum time of a request to the service. */
const LATEST_MS = 50;

/** Maximum time between a response and the moment when other processes know of it: their state may be 250 ms old. */
const NEWS_MS = 500;

/** Once an endpoint has failed often enough in a row, Retry-After is obeyed between requests. */
function checkRetryAfter(log: Evidence['log'], outage: OutagePlan, toOpen: number, fail: Evidence['fail']): void {
  const { how, retryAfter } = outage;
  if (retryAfter === undefined || !how.startsWith('status')) return;
  const wait = Math.min(retryAfter * SECOND, LONGEST_RETRY_AFTER);
  const last = log.findLast((entry) => entry.outage === outage)!;
  // A slow response to an earlier request starts the count of failures again.
  const successes = log.filter((entry) => entry.endpoint === last.endpoint && !entry.outage);
  const succeededAt = Math.max(0, ...successes.map(({ answeredAt = 0 }) => answeredAt).filter((at) => at <= last.at));
  const failed = log.filter((entry) => entry.outage === outage && entry.endpoint === last.endpoint);
  const ofEndpoint = failed.filter(({ at }) => at > succeededAt);
  // Requests of two processes may cross. Only failures that were known before the last request count.
  const answeredFailures = ofEndpoint.filter(({ answeredAt = Infinity }) => answeredAt + NEWS_MS < last.at);
  const before = answeredFailures.at(-1);
  if (before === undefined || answeredFailures.length < toOpen) return;
  const gap = last.at - before.at;
  if (gap < wait && before.at - failed[0]!.at > MINUTE)
    fail(
      'invariant 14',
      `${describeRequest(last)} came ${gap} ms after ${describeRequest(before)}, which had Retry-After ${retryAfter} s`,
    );
}

/** Each outage is logged once: it begins, spreads at most once, and ends. A kill may lose one event. */
function checkEvents({ outages, kills, fail, activations }: Evidence): void {
  if (kills > 0 || activations.some(({ isClean }) => !isClean)) return;
  let isOpen = false;
  for (const { event } of outages) {
    if ((event === 'opened') === isOpen)
      fail('events occur once', `events of outages: ${outages.map((one) => one.event).join()}`);
    if (event !== 'widened') isOpen = event === 'opened';
  }
}
