import { kindTable } from '#service/kinds/kinds.ts';
import type { Plan } from '../plan.ts';
import type { RefusalPlan } from '../refusals.ts';
import { isSuccess, type Served } from '../service.ts';
import {
  type CrawlFacts,
  describeEnding,
  describeRequest,
  type Evidence,
  findHolders,
  MAX_STORE_DELAY_MS,
  subjectOf,
} from './evidence.ts';
import { mostProbes } from './outages.ts';

/**
 * A 404 or a 403 is about its target only if the endpoint serves others (invariants 7 and 14): before the fourth 404 since
 * an endpoint's last page that says of something stored that it is gone, and after each 403, a control request shows it.
 */
export function checkRefusals(evidence: Evidence): void {
  const commits = listCommits(evidence);
  checkConfirmations(evidence, commits);
  for (const crawl of evidence.crawls) {
    if (crawl.reason === 'forbidden') checkForbidden(evidence, crawl);
    if (crawl.kind === 'tweet') checkControls(evidence, crawl, commits);
  }
  for (const refusal of evidence.plan.refusals ?? []) checkRequests(evidence, refusal);
}

const MOST_UNCHECKED = 3;
const GONE = ['deleted', 'not_found', 'unavailable'];

/** A crawl that found something stored to be gone, and the 404 that showed it. */
interface Confirmation {
  readonly crawl: CrawlFacts;
  readonly subject: string;
  readonly answer: Served;
}

/** The first crawl that found each stored tweet or account to be gone. */
function listConfirmations({ crawls, stored, storedBy }: Evidence): Confirmation[] {
  const known = new Set<string>();
  return crawls
    .filter(({ reason }) => GONE.includes(reason ?? ''))
    .toSorted((a, b) => a.finished_at! - b.finished_at!)
    .flatMap((crawl) => {
      const answer = storedBy(crawl.id).findLast(({ status }) => status === 404);
      const isTweet = crawl.kind === 'tweet';
      const subject = isTweet ? crawl.target : (crawl.target_rest_id ?? /^id:(.*)/.exec(crawl.target)?.[1]);
      if (!answer || subject === undefined || known.has(`${isTweet} ${subject}`)) return [];
      const isShownBefore = (time: number): boolean =>
        stored.some(
          ({ answeredAt = Infinity, parsed }) =>
            answeredAt < time && (isTweet ? parsed?.tweets : parsed?.users)?.some(({ id }) => id === subject),
        );
      if (!isShownBefore(answer.at)) return [];
      known.add(`${isTweet} ${subject}`);
      // Whether it was stored by then is not certain.
      if (!isShownBefore(answer.at - MAX_STORE_DELAY_MS)) return [];
      return [{ crawl, subject, answer }];
    });
}

interface RequestRow {
  readonly crawl_id: number;
  readonly endpoint: string;
  readonly sent_at: number;
  readonly status: number | null;
}

/** The requests of each page, a control request among them: they are stored together. In the order of the store. */
function listCommits({ db }: Evidence): RequestRow[][] {
  const rows = db.prepare('select crawl_id, endpoint, sent_at, status from requests order by id').all() as RequestRow[];
  const commits: RequestRow[][] = [];
  for (const row of rows) {
    const before = commits.at(-1);
    if (before?.[0]!.crawl_id === row.crawl_id) before.push(row);
    else commits.push([row]);
  }
  return commits;
}

/** Counts confirmations of each endpoint since its last page, in the order of what was stored. */
function checkConfirmations(evidence: Evidence, commits: readonly RequestRow[][]): void {
  const { fail } = evidence;
  const confirmations = listConfirmations(evidence);
  const since = new Map<string, Set<string>>();
  for (const together of commits) {
    for (const { endpoint, status } of together) if (isSuccess(status ?? undefined)) since.delete(endpoint);
    for (const { crawl, subject, answer } of confirmations) {
      const { endpoint, at, sender } = answer;
      const is = (row: RequestRow): boolean =>
        row.crawl_id === sender.crawlId && row.endpoint === endpoint && row.sent_at === at && row.status === 404;
      if (!together.some(is)) continue;
      const subjects = (since.get(endpoint) ?? new Set()).add(subject);
      since.set(endpoint, subjects);
      if (subjects.size > MOST_UNCHECKED)
        fail(
          'invariant 7',
          `${describeEnding(crawl)}, the ${subjects.size}th by a 404 since the last page: ${describeRequest(answer)}`,
        );
    }
  }
}

/** A crawl fails by a 403 only if its endpoint serves another target, or never served one. */
function checkForbidden({ stored, sentBy, fail }: Evidence, crawl: CrawlFacts): void {
  const sent = sentBy(crawl.id);
  const refused = sent.findLast(({ status, delivered }) => status === 403 && delivered);
  if (!refused) return fail('invariant 5', `${describeEnding(crawl)} without a 403`);
  const isOther = (one: Served): boolean =>
    one.endpoint === refused.endpoint &&
    subjectOf(one).toLowerCase() !== subjectOf(refused).toLowerCase() &&
    one.status !== 403;
  const isServed = sent.some((one) => one.n > refused.n && isOther(one));
  const { endpoint } = kindTable[crawl.kind];
  // A profile of nobody is no page, and an account that was renamed to the handle is no other one.
  const holders = findHolders({ stored }, subjectOf(refused), refused.at);
  const isOtherAccount = ({ endpoint: of, parsed }: Served): boolean =>
    of !== 'user-profile' || (parsed?.owner !== undefined && !holders.includes(parsed.owner));
  const control = stored.find(
    (one) => isOther(one) && one.parsed && one.answeredAt! + MAX_STORE_DELAY_MS < refused.at && isOtherAccount(one),
  );
  if (!isServed && control && refused.endpoint === endpoint)
    fail('invariant 14', `${describeEnding(crawl)} without a control request, such as ${describeRequest(control)}`);
}

/**
 * No control request of a tweet before the fourth 404 since the last page, in the order of what was stored (invariant 9). A 404
 * that was stored with a page counts after it.
 */
function checkControls(
  { log, stored: kept, sentBy, fail }: Evidence,
  crawl: CrawlFacts,
  commits: readonly RequestRow[][],
): void {
  const requests = log.filter(({ endpoint }) => endpoint === 'tweet-detail');
  if (requests.some(({ status }) => status === 403)) return;
  const own = sentBy(crawl.id).filter(({ endpoint }) => endpoint === 'tweet-detail');
  const controls = own.filter((one) => subjectOf(one) !== crawl.target);
  if (controls.length === 0) return;
  const stored = commits.map((rows) =>
    requests.filter((one) =>
      rows.some(
        ({ crawl_id, endpoint, sent_at }) =>
          endpoint === one.endpoint && crawl_id === one.sender.crawlId && sent_at === one.at,
      ),
    ),
  );
  // A full disk leaves the 404s that hold an endpoint unstored.
  const unstored = requests.filter((one) => !stored.some((together) => together.includes(one)));
  for (const control of controls) {
    // A lease that is given back records its requests without their pages.
    const isStoredBefore = (one: Served): boolean =>
      isSuccess(one.status) && kept.includes(one) && (one.answeredAt ?? Infinity) + MAX_STORE_DELAY_MS < control.at;
    const page = stored.findLastIndex((together) => together.some(isStoredBefore));
    const refused = [...stored.slice(Math.max(0, page)).flat(), ...own, ...unstored].filter(
      ({ n, status }) => status === 404 && n < control.n,
    );
    const subjects = new Set(refused.map(subjectOf)).size;
    if (subjects <= MOST_UNCHECKED)
      fail('invariant 9', `a control request after ${subjects} 404s: ${describeRequest(control)}`);
  }
}

/** The most requests of one crawl at an endpoint before it is held: spellings, an id, restarts and a control request. */
const MOST_OWN = 8;

/** What is refused costs a few requests of each crawl, and probes. A page that the quota interrupts begins again. */
function checkRequests({ plan, log, crawls, kills, fail }: Evidence, refusal: RefusalPlan): void {
  const refused = log.filter((one) => one.refusal === refusal);
  const probes = mostProbes({ lasts: refusal.lasts, how: 'refused', retryAfter: undefined });
  for (const endpoint of new Set(refused.map((one) => one.endpoint))) {
    const own = refused.filter((one) => one.endpoint === endpoint);
    const asking = crawls.filter(({ id }) => own.some(({ sender }) => sender.crawlId === id)).length;
    const restarts = (kills + countSpentWindows(plan, log, own)) * plan.slots;
    const most = MOST_OWN * asking + 2 * probes + restarts;
    if (own.length > most)
      fail('invariant 9', `${own.length} requests of ${endpoint}, at most ${most} expected, while it refuses all`);
  }
}

/** The windows from the first of some requests to the last in which the quota was spent but for the reserve and a request per slot. */
function countSpentWindows({ quota, reserve, slots }: Plan, log: readonly Served[], within: readonly Served[]): number {
  const windowOf = ({ at }: Served): number => Math.floor(at / quota.windowMs);
  const sent = new Map<number, number>();
  for (const one of log) sent.set(windowOf(one), (sent.get(windowOf(one)) ?? 0) + 1);
  const windows = new Set(within.map(windowOf));
  return [...windows].filter((window) => sent.get(window)! >= quota.limit - reserve - slots).length;
}
