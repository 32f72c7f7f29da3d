import { MINUTE } from '#base/clock.ts';
import { targetParameters } from '#service/contract/endpoints.ts';
import { type KindName, kindTable } from '#service/kinds/kinds.ts';
import { FAULTS } from '../faults.ts';
import type { ParsedAnswer } from '../parse-answer.ts';
import { UNREADABLE } from '../parse-cursor.ts';
import { isHintOf } from '../parse-envelope.ts';
import type { Plan } from '../plan.ts';
import type { Served } from '../service.ts';
import { type Account, holderOf, isThere, itemAt, type Post, wasThere } from '../truth.ts';
import { checkClosedTimeline, checkEmptyTimeline } from './closed-timelines.ts';
import {
  type CrawlFacts,
  type Evidence,
  MAX_STORE_DELAY_MS,
  subjectOf,
  showsLostHandle,
  describeEnding,
  describeRequest,
  findHolders,
  shownOn,
  timesOf,
} from './evidence.ts';

/** Returns the stored pages of a crawl, of the account that it was about in the end. Look-ups and control requests show others. */
export function pagesOf({ storedBy, sentBy }: Evidence, crawl: CrawlFacts): Served[] {
  const { endpoint, idForm, targetType } = kindTable[crawl.kind];
  const parameter = targetParameters[endpoint];
  const all = storedBy(crawl.id).filter(
    (entry) => entry.endpoint === endpoint && (entry.parsed || entry.status === 404),
  );
  const named = crawl.target.startsWith('id:') ? crawl.target.slice('id:'.length) : undefined;
  if (idForm === 'handle') {
    const own = all.filter(({ parsed }) => parsed !== undefined && parsed.owner === named);
    const possible = named === undefined ? all : all.filter(({ parsed }) => parsed === undefined);
    return (own.length > 0 ? own : possible).slice(-1);
  }
  const about = (subject: string | undefined): Served[] => all.filter((one) => one.parameters[parameter] === subject);
  const account = targetType === 'account' ? (crawl.target_rest_id ?? named) : undefined;
  if (account !== undefined) return about(account);
  // After a 403, the last page is that of the control request.
  const refused = sentBy(crawl.id).findLast((one) => one.endpoint === endpoint && one.status === 403);
  const last = about(crawl.target).at(-1) ?? (crawl.reason === 'forbidden' ? refused : all.at(-1));
  return about(last?.parameters[parameter]);
}

/** Whether the service gave a crawl an undetectable wrong response, such as a 404 for something that exists. */
export const hadUndetectableFault = (entries: readonly Served[]): boolean =>
  entries.some(
    ({ fault, refusal }) => refusal?.status === 404 || (fault !== undefined && FAULTS[fault].effect === 'undetectable'),
  );

/** Whether a tweet was shown at the top of its list instead of its place. */
export const isOutOfPlace = ({ traits }: Plan, { everPinned }: Account, { id }: Post): boolean =>
  traits.pinned === 'moved' && everPinned.has(id);

/** Returns all stored pages of a list, of any crawl. */
const listOf = ({ stored }: Evidence, crawl: CrawlFacts, pages: readonly Served[]): Served[] => {
  const { endpoint } = kindTable[crawl.kind];
  const parameter = targetParameters[endpoint];
  const subjectId = pages.at(-1)?.parameters[parameter];
  return stored.filter((one) => one.endpoint === endpoint && one.parameters[parameter] === subjectId);
};

/** Crawls end as their responses say (invariants 4 and 5). */
export function checkEndings(evidence: Evidence): void {
  const twice = evidence.db
    .prepare(
      `select c.kind, c.target from _crawl_tree f join crawls c on c.id = f.descendant_id
        group by f.root_id, c.kind, c.target, c.options having count(*) > 1`,
    )
    .all();
  if (twice.length > 0) evidence.fail('invariant 9', `a crawl tree has equal crawls: ${JSON.stringify(twice)}`);
  for (const crawl of evidence.crawls) {
    const pages = pagesOf(evidence, crawl);
    checkCursors(evidence, crawl);
    if (crawl.state === 'complete') checkComplete(evidence, crawl, pages);
    if (crawl.state === 'capped') checkCapped(evidence, crawl, pages);
    if (crawl.state === 'partial') checkPartial(evidence, crawl, pages);
    if (crawl.state === 'failed') checkFailed(evidence, crawl);
    checkCounters(evidence, crawl);
    checkChildren(evidence, crawl, pages);
  }
}

/** Lists that the specification pages; others have no known end (invariant 5). */
const PAGED: readonly KindName[] = ['timeline', 'followers', 'following'];

/** `complete` requires the service's own end of a paged list, or a single object. */
function checkComplete(evidence: Evidence, crawl: CrawlFacts, pages: readonly Served[]): void {
  const { fail } = evidence;
  const { kind, reason, limits } = crawl;
  const last = pages.at(-1);
  if (reason === 'seen_lately') return checkSeenLately(evidence, crawl);
  if (!last) return fail('invariant 5', `${describeEnding(crawl)} without a page`);
  const { parsed, status } = last;
  checkNothingBad(evidence, crawl, pages);
  checkEmptyTimeline(evidence, crawl, pages);
  const isPaged = PAGED.includes(kind);
  const conditions: Record<string, boolean> = {
    served:
      (reason === 'no_tweets' && status === 404 && (kind === 'timeline' || kind === 'replies')) ||
      (reason === 'deleted' && status === 404 && kind === 'tweet') ||
      (kind === 'profile' && parsed !== undefined) ||
      (kind === 'tweet' && showsNoReplies(last)) ||
      (isPaged && isEndOfList(evidence, last, pages)),
    // The interval that it reached is checked by its items below, and by coverage.
    joined:
      kind === 'timeline' && (limits.since !== undefined || hasEnd(evidence, listOf(evidence, crawl, pages), last)),
    since:
      kind === 'timeline' &&
      (parsed?.tweets.some((tweet) => Number(tweet.values['created_at']) < (limits.since ?? 0)) ?? false),
  };
  if (!conditions[crawl.ending ?? ''])
    fail('invariant 4', `${describeEnding(crawl)}, and the last answer was ${describeRequest(last)}`);
  // A handle means its holder; after a 404, a profile of the same day counts.
  const holder = isByHandle(crawl) ? holderThroughout(evidence, crawl) : undefined;
  const subjectId = parsed?.owner ?? last.parameters['restId'];
  const isAnother = holder && subjectId !== undefined && holder.id !== subjectId && crawl.reason !== 'no_tweets';
  if (isAnother && !hadUndetectableFault(evidence.sentBy(crawl.id)))
    fail('invariant 5', `${describeEnding(crawl)} about ${subjectId}, and ${holder.id} held the handle all the time`);
  if (hadUndetectableFault(listOf(evidence, crawl, pages))) return;
  const missing = expected(evidence, crawl, pages).filter(
    (id) => !evidence.db.prepare(STORED_ITEM_QUERIES[crawl.kind]!).get(id),
  );
  if (missing.length > 0) fail('invariant 5', `${describeEnding(crawl)}, and lacks ${missing.join(', ')}`);
}

/** Returns the account that had the crawl's handle from its oldest response to its last one. */
const holderThroughout = (evidence: Evidence, crawl: CrawlFacts): Account | undefined =>
  holderOf(evidence.truth, crawl.target, ...timesOf(evidence, crawl));

/** Only cursors from responses of the same list are followed (invariant 4). */
function checkCursors({ log, storedBy, fail }: Evidence, crawl: CrawlFacts): void {
  const { endpoint } = kindTable[crawl.kind];
  const parameter = targetParameters[endpoint];
  for (const page of storedBy(crawl.id)) {
    const { cursor } = page.parameters;
    if (cursor === undefined || page.endpoint !== endpoint) continue;
    const isGiven = log.some(
      ({ parsed, ...one }) =>
        one.endpoint === endpoint &&
        one.parameters[parameter] === page.parameters[parameter] &&
        one.n < page.n &&
        (parsed?.cursor === cursor || parsed?.hints.some((hint) => isHintOf(hint, cursor))),
    );
    if (!isGiven)
      fail('invariant 4', `${describeEnding(crawl)}: no answer gave the cursor of ${describeRequest(page)}`);
  }
}

/** `capped` requires a list that was read as far as the service shows it, without a proven end. */
function checkCapped(evidence: Evidence, crawl: CrawlFacts, pages: readonly Served[]): void {
  const { fail } = evidence;
  const { kind, reason, limits } = crawl;
  const last = pages.at(-1);
  if (reason === 'list_closed' && (kind === 'timeline' || kind === 'replies'))
    return checkClosedTimeline(evidence, crawl, selectDecisivePages(evidence, pages));
  if (!last?.parsed) return fail('invariant 5', `${describeEnding(crawl)} without a page`);
  const { parsed, parameters } = last;
  if (parsed.isUnavailable && reason === 'list_closed') return;
  checkNothingBad(evidence, crawl, pages);
  const isPaged = PAGED.includes(kind);
  const isFirst = parameters['cursor'] === undefined;
  const isPeople = kind === 'followers' || kind === 'following';
  const isInOrder = kind === 'replies' || kind === 'community';
  const list = listOf(evidence, crawl, pages);
  const conditions: Record<string, boolean> = {
    one_page:
      !isPaged &&
      kind !== 'profile' &&
      ((parsed.cursor === null && isFirst) || limits.from !== undefined) &&
      !(kind === 'tweet' && showsNoReplies(last)),
    served: isEndOfList(evidence, last, pages) && ((!isPaged && !isFirst) || reason !== null),
    inferred:
      parsed.entries === 0 &&
      (parsed.cursor === parameters['cursor'] || selectDecisivePages(evidence, pages).at(-2)?.parsed?.entries === 0),
    halved: limits.from !== undefined,
    since: isInOrder,
    joined: isInOrder,
    joined_inferred: (kind === 'timeline' || isInOrder) && list.some((page) => page.parsed?.entries === 0),
  };
  if (!conditions[crawl.ending ?? ''])
    fail('invariant 4', `${describeEnding(crawl)}, and the last answer was ${describeRequest(last)}`);
  if (reason === null) return;
  const shown = shownOn(selectDecisivePages(evidence, pages));
  if (!isPeople || (reason === 'list_closed' ? shown > 0 : reason !== 'list_cut_short'))
    fail('invariant 5', `${describeEnding(crawl)}, and showed ${shown}`);
}

/** Whether a page has no cursor, and no hint but those that were sent already, or that mean nothing. */
export const isEndOfList = (evidence: Evidence, page: Served, pages: readonly Served[]): boolean =>
  page.parsed?.ownCursor === null &&
  page.parsed.hints.every((hint) => pages.some((one) => isOfHint(one, hint)) || isMeaningless(evidence, hint, page));

/** Whether a request sent the text of a hint as its cursor. */
const isOfHint = ({ parameters: { cursor } }: Served, hint: unknown): boolean =>
  cursor !== undefined && isHintOf(hint, cursor);

/** Whether a hint led two accounts back to their first pages before a page, on an endpoint whose documented cursors work. */
function isMeaningless({ stored }: Evidence, hint: unknown, { endpoint, answeredAt = 0 }: Served): boolean {
  const before = stored.filter(
    (one) => one.endpoint === endpoint && one.parsed && one.answeredAt! <= answeredAt + MAX_STORE_DELAY_MS,
  );
  const itemsOf = ({ parsed }: Served): string => parsed!.items.toSorted().join(' ');
  const ledBack = before.filter(
    (one) =>
      isOfHint(one, hint) &&
      before.some(
        (first) =>
          first.sender.crawlId === one.sender.crawlId &&
          first.parameters['cursor'] === undefined &&
          itemsOf(first) === itemsOf(one),
      ),
  );
  const cursorsWork = before.some((one) => one.parameters['cursor'] !== undefined && !isOfHint(one, hint));
  return cursorsWork && new Set(ledBack.map(subjectOf)).size >= 2;
}

const isRetried = ({ parsed, parameters }: Served, later: readonly Served[]): boolean =>
  parsed?.isIncomplete === true && later.some((page) => page.parameters['cursor'] === parameters['cursor']);

/** The pages by which a crawl decides: of those that were requested once more, the second ones. */
const selectDecisivePages = (evidence: Evidence, pages: readonly Served[]): Served[] =>
  pages.filter((page, i) => {
    const later = pages.slice(i + 1);
    const isRepeated =
      isRepeatedPage(evidence, page) &&
      later.some(({ parameters }) => parameters['cursor'] === page.parameters['cursor']);
    return !isRepeated && !isRetried(page, later);
  });

/** Whether the last response to a request is incomplete. */
export const isIncompleteList = (pages: readonly Served[]): boolean =>
  pages.some((page, i) => page.parsed?.isIncomplete && !isRetried(page, pages.slice(i + 1)));

function checkNothingBad({ fail }: Evidence, crawl: CrawlFacts, pages: readonly Served[]): void {
  if (isIncompleteList(pages)) fail('invariant 5', `${describeEnding(crawl)}, and a response was incomplete`);
  const bad = pages.reduce((sum, entry) => sum + (entry.parsed?.bad ?? 0), 0);
  if (bad > 0) fail('invariant 5', `${describeEnding(crawl)}, and ${bad} items were rejected`);
}

/** Whether a tweet shows no replies and counts none. */
const showsNoReplies = ({ parsed, parameters }: Served): boolean =>
  parsed?.entries === 0 &&
  parsed.cursor === null &&
  parsed.tweets.some(({ id, values }) => id === parameters['restId'] && values['reply_count'] === 0);

/** Whether the service ended a list, for any crawl, before another one decided by its last page. */
const hasEnd = (evidence: Evidence, list: readonly Served[], last: Served): boolean =>
  list.some(
    (page) =>
      page.answeredAt! <= last.answeredAt! + MAX_STORE_DELAY_MS &&
      !page.parsed?.isIncomplete &&
      isEndOfList(
        evidence,
        page,
        list.filter(({ n, sender }) => sender.crawlId === page.sender.crawlId && n <= page.n),
      ),
  );

/** A snowball skips profiles that were shown in the last quarter of an hour. */
function checkSeenLately({ stored, fail }: Evidence, crawl: CrawlFacts): void {
  const wasShown = stored.some(
    ({ endpoint, parsed, at }) =>
      endpoint === 'user-profile' &&
      `id:${parsed?.owner}` === crawl.target &&
      at <= crawl.finished_at! &&
      crawl.finished_at! - at <= 15 * MINUTE + MAX_STORE_DELAY_MS,
  );
  if (!wasShown || crawl.parent_id === null)
    fail('invariant 5', `${describeEnding(crawl)}, and its profile was not shown lately`);
}

const isByHandle = ({ kind, target }: CrawlFacts): boolean =>
  kindTable[kind].targetType === 'account' && !target.startsWith('id:');

const STORED_ITEM_QUERIES: Readonly<Record<string, string>> = {
  timeline: 'select 1 from tweets where rest_id = ?',
  followers: `select 1 from follows f join users a on a.id = f.follower_id join users b on b.id = f.followee_id
    where a.rest_id || ' ' || b.rest_id = ?`,
};
Object.assign(STORED_ITEM_QUERIES, { following: STORED_ITEM_QUERIES['followers'] });

/** Returns the items that were in the list during the whole crawl; a complete crawl must have them. */
function expected({ truth, plan }: Evidence, crawl: CrawlFacts, pages: readonly Served[]): string[] {
  const [first, last] = [Math.min(...pages.map(({ at, madeAt }) => madeAt ?? at)), pages.at(-1)!.answeredAt!];
  const subjectId = pages.at(-1)!.parameters['restId'];
  const there = (id: string): boolean => truth.accounts.some((one) => one.id === id && wasThere(one, first, last));
  if (crawl.kind === 'timeline') {
    // A crawl that skips covered intervals does not see items that came back there.
    const isNext = (page: Served, i: number): boolean =>
      i === 0 || page.parameters['cursor'] === pages[i - 1]!.parsed?.cursor;
    const isSkipping = crawl.ending === 'joined' || !pages.every(isNext);
    const author = truth.accounts.find(({ id }) => id === subjectId);
    return truth.posts
      .filter((post) => post.author === subjectId && !post.replyTo && wasThere(post, first, last) && there(post.author))
      .filter((post) => !isOutOfPlace(plan, author!, post) && !(isSkipping && post.isBack))
      .filter((post) => crawl.limits.since === undefined || post.createdAt >= crawl.limits.since)
      .map(({ id }) => id);
  }
  if (crawl.kind !== 'followers' && crawl.kind !== 'following') return [];
  return truth.edges
    .filter((edge) => wasThere(edge, first, last) && there(edge.follower) && there(edge.followee))
    .filter((edge) => (crawl.kind === 'followers' ? edge.followee : edge.follower) === subjectId)
    .map(({ follower, followee }) => `${follower} ${followee}`);
}

function checkPartial(evidence: Evidence, crawl: CrawlFacts, pages: readonly Served[]): void {
  const { fail } = evidence;
  const last = pages.at(-1);
  const cursors = pages.map(({ parameters }) => parameters['cursor']);
  const lists = pages.map(({ parsed }) => parsed?.items.toSorted().join(' '));
  const next = last?.parsed?.cursor;
  const isRepeated = lists.some((list, i) => lists.indexOf(list) < i) || cursors.includes(next ?? undefined);
  const conditions: Record<string, boolean> = {
    max_requests: crawl.run_id !== null,
    // Pages of the account that had the handle at first count, too.
    max_pages:
      evidence
        .storedBy(crawl.id)
        .filter(({ endpoint, parsed }) => endpoint === kindTable[crawl.kind].endpoint && parsed).length >=
      (crawl.limits.maxPages ?? Infinity),
    // Rejected items of an earlier crawl whose interval it reached.
    rejected_items: [...listOf(evidence, crawl, pages), ...evidence.storedBy(crawl.id)].some(
      ({ parsed }) => (parsed?.bad ?? 0) > 0,
    ),
    cursor_refused: evidence.sentBy(crawl.id).some(({ parameters }) => parameters['cursor'] !== undefined),
    saturated: crawl.limits.exact === true,
    cursor_unreadable: next === UNREADABLE || isHintOfNoUse(evidence, crawl),
    incomplete_response: isIncompleteTwice(evidence, pages),
    cursor_repeated: next !== undefined && next === cursors.at(-1),
    cursor_cycle: isRepeated,
    cursor_ignored: isRepeatedTwice(pages) || (next != null && isDeaf(evidence, crawl)),
  };
  if (!conditions[crawl.reason ?? '']) fail('invariant 5', `${describeEnding(crawl)}, without cause`);
}

/** Whether the last response is incomplete, and another one of the endpoint was before it, or at the same time. */
function isIncompleteTwice({ stored }: Evidence, pages: readonly Served[]): boolean {
  const last = pages.at(-1);
  if (!last?.parsed?.isIncomplete) return false;
  return stored.some(
    (one) =>
      one !== last &&
      one.endpoint === last.endpoint &&
      one.at <= (last.answeredAt ?? Infinity) &&
      one.parsed?.isIncomplete,
  );
}

/**
 * Whether a page was requested twice and equalled the page before each time. In between, it may have been another one that
 * nothing was decided by, as a look-up for it had to wait.
 */
const isRepeatedTwice = (pages: readonly Served[]): boolean =>
  pages.some((page) => {
    const cursor = page.parameters['cursor'];
    const same = pages.filter(({ parameters }) => cursor !== undefined && parameters['cursor'] === cursor);
    const before = pages.slice(0, pages.indexOf(page)).findLast(({ parameters }) => parameters['cursor'] !== cursor);
    const items = (one: Served | undefined) => one?.parsed?.items.toSorted().join(' ') ?? '';
    return items(before) !== '' && same.filter((one) => items(one) === items(before)).length > 1;
  });

/** Whether an endpoint repeated pages of two accounts before a crawl. */
function isDeaf(evidence: Evidence, crawl: CrawlFacts): boolean {
  const [, at] = timesOf(evidence, crawl);
  const deaf = evidence.crawls.filter(
    (one) => one !== crawl && one.kind === crawl.kind && one.reason === 'cursor_ignored' && one.finished_at! <= at,
  );
  return new Set(deaf.map(({ target_rest_id: rest, target }) => rest ?? target)).size >= 2;
}

/** Whether the last request sent the text of a hint: a refusal or no new items say nothing of the end. */
function isHintOfNoUse({ sentBy, stored }: Evidence, { id, kind }: CrawlFacts): boolean {
  const { endpoint } = kindTable[kind];
  const cursor = sentBy(id).findLast((one) => one.endpoint === endpoint)?.parameters['cursor'];
  return (
    cursor !== undefined &&
    stored.some((one) => one.endpoint === endpoint && one.parsed?.hints.some((hint) => isHintOf(hint, cursor)))
  );
}

function checkFailed(evidence: Evidence, crawl: CrawlFacts): void {
  const answers = evidence.sentBy(crawl.id);
  const broken = answers.filter(({ fault }) => fault === 'not our JSON' || fault === 'somebody else as the owner');
  const conditions: Record<string, boolean> = {
    not_found: answers.some(({ status }) => status === 404),
    // refusals.ts checks whether it was the target's.
    forbidden: answers.some(({ status }) => status === 403),
    // outages.ts checks the number of failures.
    unreachable: answers.some(({ fault, outage }) => outage || (fault && FAULTS[fault].effect === 'no page')),
    bug: evidence.plan.disturbances.some(({ what }) => what === 'store refuses'),
    contract_broken:
      broken.length > 0 || answers.some(({ parsed }) => parsed && (parsed.bad > 0 || isWithoutOwner(parsed))),
  };
  if (!conditions[crawl.reason ?? '']) evidence.fail('invariant 5', `${describeEnding(crawl)}: ${crawl.error}`);
  if (crawl.reason === 'not_found' && isByHandle(crawl)) checkNobody(evidence, crawl);
}

/** A look-up of a handle needs the owner of a list. */
const isWithoutOwner = ({ owner, ownerHandle }: ParsedAnswer): boolean =>
  owner !== undefined && ownerHandle === undefined;

/** "Does not exist" is true of a handle only if nobody had it, or if its case differs from the service's. */
function checkNobody(evidence: Evidence, crawl: CrawlFacts): void {
  const { truth, plan, sentBy, fail } = evidence;
  const holder = holderThroughout(evidence, crawl);
  if (hadUndetectableFault(sentBy(crawl.id))) return;
  if (!holder) return checkRenamed(evidence, crawl);
  const findHandle = (account: Account): string | undefined =>
    [account, ...account.formerHandles].find((one) => one.handle.toLowerCase() === crawl.target)?.handle;
  const handle = findHandle(holder)!;
  const isWrong = { lower: handle !== handle.toLowerCase(), upper: handle !== handle.toUpperCase() };
  const isNamed = (target: number): boolean => {
    const account = itemAt(truth.accounts, target);
    return account !== undefined && findHandle(account) !== undefined;
  };
  const acts = plan.acts.filter((act) => act.what === 'crawl' && [act.target, ...(act.also ?? [])].some(isNamed));
  // In another case, by this crawl or one with the same identity.
  if (plan.traits.cased && acts.some((act) => act.what === 'crawl' && act.typed && isWrong[act.typed])) return;
  fail('invariant 5', `${describeEnding(crawl)}, and ${holder.id} held the handle all the time`);
}

/** A crawl of a renamed account finds it by the id that an earlier crawl stored. */
function checkRenamed(evidence: Evidence, crawl: CrawlFacts): void {
  const { truth, crawls, fail } = evidence;
  const { target, created_at: requestedAt } = crawl;
  const heldHandle = (one: Account): boolean =>
    [...one.formerHandles, { handle: one.handle, until: Infinity }].some(
      ({ handle, until }) => handle.toLowerCase() === target && until >= requestedAt && isThere(one, requestedAt),
    );
  if (truth.accounts.some(heldHandle)) return;
  const earlierCrawl = crawls.findLast(
    (one) =>
      one.target === target &&
      isByHandle(one) &&
      one.target_rest_id !== null &&
      one.finished_at! < requestedAt &&
      one.state !== 'failed' &&
      one.state !== 'cancelled',
  );
  const account = truth.accounts.find(({ id }) => id === earlierCrawl?.target_rest_id);
  // Another account may have been seen with the handle since.
  const lastHolder = findHolders(evidence, target, requestedAt).at(-1);
  if (lastHolder !== undefined && lastHolder !== account?.id) return;
  if (account && wasThere(account, ...timesOf(evidence, crawl)))
    fail('invariant 5', `${describeEnding(crawl)}, and ${account.id}, the account of the earlier crawl, exists`);
}

/** Whether a page after a cursor has the items of the last page with items: it is requested once more, and counts once. */
export function isRepeatedPage({ storedBy }: Evidence, page: Served): boolean {
  // An incomplete response is no page to compare with, and a control request shows another list.
  const pages = storedBy(page.sender.crawlId).filter(
    (one) =>
      one.endpoint === page.endpoint && subjectOf(one) === subjectOf(page) && one.parsed && !one.parsed.isIncomplete,
  );
  const items = (one: Served): string => one.parsed!.items.toSorted().join(' ');
  const before = pages.slice(0, Math.max(0, pages.indexOf(page))).findLast((one) => items(one) !== '');
  return page.parameters['cursor'] !== undefined && before !== undefined && items(before) === items(page);
}

function checkCounters(evidence: Evidence, crawl: CrawlFacts): void {
  const { endpoint } = kindTable[crawl.kind];
  const all = evidence.storedBy(crawl.id).filter((entry) => entry.endpoint === endpoint && entry.parsed);
  if (crawl.kind === 'profile' || crawl.state === 'failed') return;
  const items = all.reduce((sum, { parsed }) => sum + parsed!.items.length, 0);
  // A page that shows another holder of the handle is stored but not counted.
  if (crawl.items > items)
    evidence.fail('invariant 1', `${describeEnding(crawl)} with ${crawl.items} items, and was shown ${items}`);
  const subjectId = pagesOf(evidence, crawl)
    .filter((page) => !isRepeatedPage(evidence, page))
    // An incomplete response counts if it ends the crawl.
    .filter((page, i, pages) => !page.parsed?.isIncomplete || (isEnd(crawl) && i === pages.length - 1))
    .filter((page) => !showsLostHandle(crawl, page) || !mayBeLeftOut(evidence, crawl, page))
    .reduce((sum, { parsed }) => sum + (parsed?.items.length ?? 0), 0);
  if (crawl.items < subjectId)
    evidence.fail('invariant 1', `${describeEnding(crawl)} with ${crawl.items} items of ${subjectId}`);
}

const isEnd = ({ reason }: CrawlFacts): boolean => reason === 'incomplete_response';

/** A page of the account that lost the handle is requested again of its new holder, unless the crawl is ended before its look-up. */
const mayBeLeftOut = ({ storedBy }: Evidence, crawl: CrawlFacts, { n, endpoint, parameters }: Served): boolean =>
  mayLackLookUp(crawl) ||
  storedBy(crawl.id).some(
    (one) => one.n > n && one.endpoint === endpoint && one.parameters['cursor'] === parameters['cursor'],
  );

/** Whether a crawl may have been ended while its last page waited for a look-up, without which it does not count. */
export const mayLackLookUp = ({ reason, state }: CrawlFacts): boolean =>
  reason === 'max_requests' || state === 'cancelled';

/** Child crawls of every stored page exist (invariant 1), but for one of an unknown owner. Limits are checked in limits.ts. */
function checkChildren(evidence: Evidence, crawl: CrawlFacts, pages: readonly Served[]): void {
  const { then = [], maxTargets } = crawl.limits;
  if (maxTargets !== undefined) return;
  const isOfUnknown = (page: Served): boolean =>
    page.parameters['cursor'] === pages.at(-1)!.parameters['cursor'] &&
    showsLostHandle(crawl, page) &&
    isHandleUnchecked(evidence, crawl);
  const decided = pages.filter((page) => !isOfUnknown(page));
  for (const id of new Set(decided.flatMap(({ parsed }) => parsed?.items ?? [])))
    for (const kind of then) {
      if (!evidence.crawls.some((one) => one.kind === kind && one.target === `id:${id}`))
        evidence.fail('invariant 1', `${describeEnding(crawl)}, and the ${kind} of ${id} was never crawled`);
    }
}

/** Whether the limit of requests ended a crawl before a look-up of its handle: its last page may be of another account. */
const isHandleUnchecked = ({ storedBy }: Evidence, { id, reason }: CrawlFacts): boolean =>
  reason === 'max_requests' && !storedBy(id).some(({ endpoint }) => endpoint === 'user-profile');
