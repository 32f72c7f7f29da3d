import { kindTable } from '#service/kinds/kinds.ts';
import { isSuccess, type Served } from '../service.ts';
import { isRepeatedPage } from './endings.ts';
import { type CrawlFacts, describeRequest, type Evidence, showsLostHandle, subjectOf } from './evidence.ts';

interface RequestRow {
  readonly crawl_id: number;
  readonly endpoint: string;
  readonly sent_at: number;
  readonly status: number | null;
}

/**
 * Compares recorded requests with the service's log (invariant 8), checks stored bodies (invariants 1 and 10), and that
 * nothing was fetched twice (invariant 9).
 */
export function checkAccount(evidence: Evidence): void {
  const { db, log, fail, stored, storedSet, activationOf, crawls, activations, resumed, strangers } = evidence;
  const rows = db.prepare('select crawl_id, endpoint, sent_at, status from requests').all() as RequestRow[];
  const { limit, windowMs } = evidence.plan.quota;
  const hasQuotaLeft = ({ at, answeredAt = at }: Served): boolean =>
    [...log.filter((one) => one.counted).map((one) => one.at), ...strangers].filter(
      (time) => time > at - windowMs && time <= answeredAt + TOKEN_INFO_MS,
    ).length < limit;
  const accounted = new Set<Served>();
  for (const row of rows) {
    const same = log.filter(
      (one) =>
        !accounted.has(one) &&
        one.sender.crawlId === row.crawl_id &&
        one.endpoint === row.endpoint &&
        one.at === row.sent_at &&
        (one.delivered ? (one.status ?? null) : null) === row.status,
    );
    // Of two requests at the same time, prefer that of the sender who could store it.
    const entry = same.find((one) => activationOf(one).isClean) ?? same[0];
    if (entry) accounted.add(entry);
    else fail('invariant 8', `a request is recorded but was never sent: ${JSON.stringify(row)}`);
  }
  for (const entry of log) {
    const { isClean } = activationOf(entry);
    if (entry.counted && isClean && !accounted.has(entry))
      fail('invariant 8', `not recorded: ${describeRequest(entry)}`);
    if (!entry.counted && accounted.has(entry))
      fail('invariant 8', `recorded, but cost nothing: ${describeRequest(entry)}`);
    // A 404 of the last request of a window may be that of the quota, as token-info says next: it is no answer.
    const isPage =
      entry.delivered && (isSuccess(entry.status) ? isWhole(entry) : entry.status === 404 && hasQuotaLeft(entry));
    if (isPage && isClean && !storedSet.has(entry)) fail('invariant 10', `not kept: ${describeRequest(entry)}`);
  }
  for (const { id, requests } of crawls) {
    const own = rows.filter(({ crawl_id }) => crawl_id === id).length;
    if (requests !== own) fail('invariant 8', `crawl ${id} counts ${requests} requests, recorded are ${own}`);
  }

  for (const activation of activations) {
    const lost = log.filter(
      (entry) => entry.sender.activation === activation.id && entry.parsed && entry.delivered && !storedSet.has(entry),
    );
    // Two requests at the same time with the same response cannot be distinguished.
    const pages = lost.filter(
      (entry) => entry.endpoint !== 'user-profile' && !stored.some((one) => isSame(one, entry)),
    );
    // A control request is about another target.
    const ofTarget = pages.filter((entry) => subjectOf(entry) === subjectOf(pages.at(-1)!));
    if (ofTarget.length > 2)
      fail('invariant 1', `${ofTarget.length} pages were lost at once, the last ${describeRequest(pages.at(-1)!)}`);
  }

  const endpointOf = (crawlId: number): string | undefined => {
    const kind = crawls.find(({ id }) => id === crawlId)?.kind;
    return kind === undefined || kind === 'profile' ? undefined : kindTable[kind].endpoint;
  };
  const byRequest = new Map<string, Served[]>();
  for (const entry of log) {
    // Look-ups and interrupted requests are repeated; pages are not.
    if (!entry.parsed || !entry.delivered || entry.endpoint !== endpointOf(entry.sender.crawlId)) continue;
    const requestKey = `${entry.sender.crawlId} ${entry.endpoint} ${JSON.stringify(entry.parameters)}`;
    byRequest.set(requestKey, [...(byRequest.get(requestKey) ?? []), entry]);
  }
  for (const equalRequests of byRequest.values()) {
    // A resumed crawl sends its last cursor again; so does one that restarted because an old cursor seemed stale, and
    // one whose look-up of a lost handle had to wait.
    const { crawlId } = equalRequests[0]!.sender;
    const crawl = crawls.find(({ id }) => id === crawlId)!;
    const lookedUp = equalRequests.slice(0, -1).filter((entry) => showsLostHandle(crawl, entry)).length;
    const repeated = equalRequests.slice(0, -1).filter((entry) => isRepeatedPage(evidence, entry)).length;
    const resumes = resumed.filter((id) => id === crawlId).length;
    const incomplete = equalRequests.slice(0, -1).filter(({ parsed }) => parsed!.isIncomplete);
    const restarts = restartsOf(crawlId);
    const isStored = (entry: Served): boolean => storedSet.has(entry);
    // An incomplete page is requested once more each time that its list is read: at first, after a resume, and after a restart.
    const storedRetries = Math.min(incomplete.filter(isStored).length, 1 + resumes + restarts);
    const interrupted = equalRequests.slice(0, -1).filter((entry) => isBeforeInterruptedCount(crawl, entry)).length;
    // The first page again, in another order, is not recognised: the crawl follows its cursor once more.
    const ledBack = log.filter(
      ({ sender, fault }) => sender.crawlId === crawlId && fault === 'the first page again',
    ).length;
    const again = resumes + restarts + lookedUp + repeated + storedRetries + interrupted + ledBack;
    const stored = equalRequests.filter(isStored);
    if (stored.length > 1 + again) fail('invariant 9', `stored twice: ${stored.map(describeRequest).join('; ')}`);
    const unclean = new Set(
      equalRequests.filter((entry) => !activationOf(entry).isClean).map(({ sender }) => sender.activation),
    );
    // A kill may lose an incomplete page and its second request, which are two pages.
    const lostRetries = [...unclean].filter((id) =>
      incomplete.some((entry) => !isStored(entry) && entry.sender.activation === id),
    ).length;
    if (equalRequests.length > 1 + unclean.size + lostRetries + again)
      fail('invariant 9', `requested again without cause: ${equalRequests.map(describeRequest).join('; ')}`);
    // A page that cannot be stored costs eight requests, and one per interruption. The page after it is requested as
    // often, and once more.
    const interruptions = evidence.plan.disturbances.filter(({ what }) => what !== 'store refuses').length;
    const isDiskFull =
      evidence.plan.disturbances.some(({ what }) => what === 'disk full') || evidence.plan.disks?.length;
    if (interruptions < evidence.plan.disturbances.length && !isDiskFull) {
      const pages = equalRequests[0]!.parameters['cursor'] === undefined ? 1 : 2;
      const most = 8 * (pages + again) + interruptions;
      if (equalRequests.length > most)
        fail('invariant 9', `requested ${equalRequests.length} times: ${describeRequest(equalRequests.at(-1)!)}`);
    }
  }

  /** Whether a list ended with a response, and its process before it had requested the owner's count. */
  function isBeforeInterruptedCount({ kind }: CrawlFacts, { parsed, sender, n }: Served): boolean {
    if ((kind !== 'followers' && kind !== 'following') || parsed!.cursor !== null) return false;
    const later = log.filter((one) => one.sender.crawlId === sender.crawlId && one.n > n);
    return later.length > 0 && later[0]!.sender.activation !== sender.activation;
  }

  /**
   * Returns how often a crawl restarted: at most three times, after a cursor that was refused, a minute old, or from
   * another crawl.
   */
  function restartsOf(crawlId: number): number {
    const own = ({ sender, endpoint }: Served): boolean => sender.crawlId === crawlId && endpoint !== 'user-profile';
    const wasRefused = log.some((one) => own(one) && one.parameters['cursor'] && [400, 404].includes(one.status ?? 0));
    const pages = stored.filter(own);
    const wasDoubtful = pages.some(({ parameters: { cursor }, at }, i) => {
      const before = pages[i - 1];
      if (cursor === undefined || !before) return false;
      const issued = pages.slice(0, i).find(({ parsed }) => parsed?.cursor === cursor) ?? before;
      return at - issued.at > 60_000 || cursor !== before.parsed?.cursor;
    });
    const tops = pages.filter(({ parameters }) => parameters['cursor'] === undefined).length;
    return wasRefused || wasDoubtful ? Math.min(3, Math.max(0, tops - 1)) : 0;
  }

  // All workers obey a 429 of any worker; cached permits may be used for a quarter of a second.
  for (const refused of log.filter(({ fault, delivered }) => fault === 'status 429 with retry-after' && delivered)) {
    const [from, until] = [refused.answeredAt! + AT_HAND_MS, refused.answeredAt! + RETRY_AFTER_MS];
    const early = log.find(({ at }) => at > from && at < until);
    if (early && activationOf(refused).isClean)
      fail('invariant 8', `${describeRequest(early)} soon after ${describeRequest(refused)}`);
  }

  const overdrawn = log.filter((entry) => entry.overdrawn);
  if (overdrawn.length > strangers.length)
    fail(
      'invariant 8',
      `${overdrawn.length} requests found the quota used up: ${overdrawn.map(describeRequest).join('; ')}`,
    );
}

const isSame = (one: Served, other: Served): boolean =>
  one.sender.crawlId === other.sender.crawlId &&
  one.endpoint === other.endpoint &&
  one.at === other.at &&
  one.hash === other.hash;

/** How long a process may use cached permits, and how long it takes to inform the others. */
const AT_HAND_MS = 400;
/** A request of token-info takes at most 40 ms to the service, and may wait for another one. */
const TOKEN_INFO_MS = 120;
const RETRY_AFTER_MS = 7000;

/** Whether a page is complete; a page of another form is stored, too. */
const isWhole = ({ fault }: Served): boolean =>
  fault !== 'cut body' && fault !== 'empty body' && fault !== 'a page for people';
