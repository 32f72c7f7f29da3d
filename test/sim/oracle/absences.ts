import { UNREADABLE } from '../parse-cursor.ts';
import type { Served } from '../service.ts';
import { type Account, type Post, wasThere } from '../truth.ts';
import { isOutOfPlace, hadUndetectableFault, mayLackLookUp } from './endings.ts';
import { type CrawlFacts, type Evidence, describeRequest, MAX_STORE_DELAY_MS, timesOf } from './evidence.ts';

interface AbsenceRow {
  readonly rest_id: string;
  readonly last_seen_at: number;
  readonly suspected_at: number;
  readonly confirmed_at: number | null;
  readonly crawl_id: number;
}

/** A page of an author's list, with the earlier pages of its crawl. */
interface ListRead {
  readonly page: Served;
  readonly pages: readonly Served[];
}

const LISTS = ['user-tweets', 'user-tweets-replies'];

/**
 * No tweet is suspected or deleted without cause (invariant 7). A tweet is suspected only if its author's list, which had
 * shown it, was read again without it, from its top or a newer item to an older one, beginning after its last sighting. It is deleted
 * only after a 404 for the tweet itself since then. A tweet that was shown later is neither. By the ground truth, a tweet
 * in its place during the read is never suspected, and a deleted tweet was absent.
 *
 * Rows that a later sighting refutes are checked, too, except for the start of the read: the sighting may not have been
 * stored yet. Responses with an undetectable fault prove nothing.
 */
export function checkAbsences(evidence: Evidence): void {
  const { db, truth, fail } = evidence;
  const rows = db
    .prepare('select t.rest_id, t.last_seen_at, a.* from _deletion_evidence a join tweets t on t.id = a.tweet_id')
    .all() as AbsenceRow[];
  const currentStates = new Map(
    db.prepare<[], [string, string]>('select rest_id, state from v_deleted_tweets').raw().all() as [string, string][],
  );
  for (const row of rows) {
    // A tweet with an invented id is not in the ground truth.
    const post = truth.posts.find(({ id }) => id === row.rest_id);
    const state = row.confirmed_at === null ? 'suspected' : 'deleted';
    const shown = evidence.stored.filter((entry) => shows(entry, row.rest_id));
    const holds = shown.every(({ at }) => at < row.suspected_at);
    if (currentStates.get(row.rest_id) !== (holds ? state : undefined))
      fail(
        'invariant 7',
        `tweet ${row.rest_id} is ${currentStates.get(row.rest_id)}, and was ${holds ? 'not ' : ''}shown later`,
      );
    if (row.confirmed_at !== null) checkConfirmed(evidence, row, holds ? shown : []);
    if (post && row.confirmed_at !== row.suspected_at) checkSuspected(evidence, row, post, shown, holds);
  }
  checkConverse(evidence, new Set(currentStates.keys()));
  checkBottoms(evidence);
}

const shows = ({ parsed }: Served, id: string): boolean => parsed?.tweets.some((tweet) => tweet.id === id) ?? false;

/** Whether a response shows when a tweet was written, in a readable form: one without a time has no place in its list. */
const showsTime = ({ parsed }: Served, { id, createdAt }: Post): boolean =>
  parsed?.tweets.some((tweet) => tweet.id === id && tweet.values['created_at'] === createdAt) ?? false;

/** Confirmation requires a 404 for the tweet itself, after its last sighting, while it was absent. */
function checkConfirmed(evidence: Evidence, row: AbsenceRow, shown: readonly Served[]): void {
  const { stored, fail } = evidence;
  const { rest_id: id, confirmed_at: at, suspected_at: since } = row;
  const answer = stored.find(
    (one) =>
      one.endpoint === 'tweet-detail' &&
      one.parameters['restId'] === id &&
      one.at === at &&
      one.status === 404 &&
      !one.overdrawn &&
      one.sender.crawlId === row.crawl_id,
  );
  if (!answer)
    return fail('invariant 7', `tweet ${id} is deleted since ${at}, without a response: ${JSON.stringify(row)}`);
  if (at! < since) fail('invariant 7', `tweet ${id} is deleted since ${at}, before it was missed at ${since}`);
  const later = shown.find((one) => one.at >= at!);
  if (later) fail('invariant 7', `tweet ${id} is deleted since ${at}, and was shown by ${describeRequest(later)}`);
  // refusals.ts counts the 404s of a service that has the tweet.
  if (!answer.refusal && isVisible(evidence, id, answer.at, answer.answeredAt!))
    fail('invariant 7', `tweet ${id} is deleted, but existed at the time of ${describeRequest(answer)}`);
}

function checkSuspected(
  evidence: Evidence,
  row: AbsenceRow,
  post: Post,
  shown: readonly Served[],
  holds: boolean,
): void {
  const { plan, truth, fail } = evidence;
  const { rest_id: id, suspected_at: at } = row;
  const reads = readsOf(evidence, post.author).filter(({ page }) => page.at === at);
  const subject = `tweet ${id} is missed since ${at}`;
  const readsWithout = reads.filter(({ pages }) => pages.every((page) => !shows(page, id)));
  if (readsWithout.length === 0) return fail('invariant 7', `${subject}, but no list of its author lacks it`);
  const warrantedReads = readsWithout.filter(
    ({ page, pages }) =>
      shown.some((one) => one.endpoint === page.endpoint && one.at < at) &&
      (!holds || shown.every((one) => one.at < pages[0]!.at)) &&
      page.parsed!.bad === 0 &&
      !page.parsed!.isIncomplete &&
      (isTop(pages[0]!) || itemsOf(evidence, pages).some((one) => one.createdAt > post.createdAt)) &&
      itemsOf(evidence, pages).some((one) => one.createdAt < post.createdAt),
  );
  if (warrantedReads.length === 0) return fail('invariant 7', `${subject}, but its list was not read around it`);
  const author = truth.accounts.find((one) => one.id === post.author)!;
  const isSure = warrantedReads.some(
    ({ page, pages }) => hadUndetectableFault(pages) || !isVisible(evidence, id, pages[0]!.at, page.answeredAt!),
  );
  if (!isSure && !isOutOfPlace(plan, author, post)) fail('invariant 7', `${subject}, but existed all the time`);
}

const isTop = ({ parameters }: Served): boolean => parameters['cursor'] === undefined;

/** The converse: a tweet that was in the list is suspected if one valid page lacks it between newer and older items, or on top. */
function checkConverse(evidence: Evidence, currentStates: ReadonlySet<string>): void {
  const { plan, truth, stored, fail } = evidence;
  if (plan.traits.pinned !== 'not' || plan.traits.sparse > 0 || plan.processes > 1) return;
  for (const author of truth.accounts) {
    for (const { page, pages } of readsOf(evidence, author.id)) {
      const crawl = crawlOf(evidence, page);
      const { id: crawlId, finished_at: end, started_at: takenUp } = crawl;
      // It is requested again when the crawl is resumed.
      const isUnfinished =
        mayLackLookUp(crawl) && page === evidence.storedBy(crawlId).findLast((one) => one.endpoint === page.endpoint);
      // A page whose cursor cannot be read is no evidence (invariant 4).
      if (
        end === null ||
        isUnfinished ||
        page.parsed!.cursor === UNREADABLE ||
        page.parsed!.isIncomplete ||
        pages.some(({ fault, parsed }) => fault !== undefined || parsed!.bad + parsed!.dropped > 0)
      )
        continue;
      // A tweet written after the request bounds nothing.
      const times = itemsOf(evidence, [page]).flatMap(({ createdAt }) => (createdAt <= page.at ? [createdAt] : []));
      // Of three items or more, one can be out of place.
      const isOrderedTop = isTop(page) && times.length > 2 && times.toSorted((a, b) => a - b)[1]! < Math.max(...times);
      // It may have been leased long before its first request; this is the cautious bound.
      const startedAt = Math.min(takenUp!, evidence.sentBy(page.sender.crawlId)[0]!.at);
      const missed = postsOf(evidence, author).filter((post) => {
        const shown = stored.filter((one) => shows(one, post.id));
        return (
          (times.some((time) => time > post.createdAt) || (isOrderedTop && post.createdAt < page.at)) &&
          times.filter((time) => time < post.createdAt).length > 1 &&
          // A pin in an instruction of its own is no item of the list.
          shown.some(({ endpoint, parsed }) => endpoint === page.endpoint && parsed!.items.includes(post.id)) &&
          shown.some((one) => showsTime(one, post)) &&
          shown.every((one) => isOver(evidence, one, startedAt))
        );
      });
      for (const { id } of missed)
        if (!currentStates.has(id))
          fail('invariant 7', `tweet ${id} is not suspected, but missing in ${describeRequest(page)}`);
    }
  }
}

/**
 * The newest tweet below a timeline that the service ended is asked for, unless its last sighting is a re-check: then the
 * list shows the newest tweets only, and nothing is asked for.
 */
function checkBottoms(evidence: Evidence): void {
  const { db, plan, truth, crawls, stored, storedBy, fail } = evidence;
  const readTime = db.prepare<[string], number>('select created_at from tweets where rest_id = ?').pluck();
  // A 404 that counts as a deletion cannot be told from one that does not.
  if (hadUndetectableFault(stored.filter(({ endpoint }) => endpoint === 'tweet-detail'))) return;
  if (plan.traits.pinned !== 'not' || plan.traits.sparse > 0 || plan.processes > 1) return;
  for (const crawl of crawls) {
    const isEnded = crawl.kind === 'timeline' && crawl.state === 'complete' && crawl.ending === 'served';
    const pages = storedBy(crawl.id).filter(({ endpoint }) => endpoint === 'user-tweets');
    const children = crawls.filter(({ parent_id: parent, limits }) => parent === crawl.id && limits.isRecheck);
    const isClean = pages.every(({ fault, parsed }) => !fault && parsed && parsed.bad + parsed.dropped === 0);
    if (!isEnded || crawl.limits.recheck === false || !isClean || children.length >= MOST_RECHECKS) continue;
    const bottom = Math.min(...itemsOf(evidence, pages).map(({ createdAt }) => createdAt));
    const startedAt = Math.min(crawl.started_at!, evidence.sentBy(crawl.id)[0]!.at);
    const decidedAt = timesOf(evidence, crawl)[1] + MAX_STORE_DELAY_MS;
    const author = truth.accounts.find(({ id }) => id === crawl.target_rest_id);
    if (!author) continue;
    const isAsked = ({ id }: Post): boolean =>
      crawls.some(
        ({ kind, target, limits, finished_at: end }) =>
          kind === 'tweet' && target === id && limits.isRecheck && (end ?? Infinity) >= crawl.finished_at!,
      );
    const missing = postsOf(evidence, author).filter((post) => {
      if (readTime.get(post.id) !== post.createdAt) return false;
      const shown = stored.filter((one) => shows(one, post.id));
      // A 404 during the crawl may be stored before its end: then an older tweet is asked for instead.
      const isGone = isGoneBy(evidence, post, startedAt) || (!isAsked(post) && isGoneBy(evidence, post, decidedAt));
      const isListed = shown.some(({ endpoint }) => endpoint === 'user-tweets');
      return post.createdAt < bottom && isListed && !isGone && shown.every((one) => isOver(evidence, one, startedAt));
    });
    const [newest, next] = missing.toSorted((a, b) => b.createdAt - a.createdAt);
    if (!newest || newest.createdAt === next?.createdAt) continue;
    const last = crawlOf(
      evidence,
      stored.findLast((one) => shows(one, newest.id))!,
    );
    // The re-check of another tweet may have requested this one as a control.
    const isWindow = last.kind === 'tweet' && last.target === newest.id && last.limits.isRecheck === true;
    if (isAsked(newest) === isWindow)
      fail(
        'invariant 7',
        `crawl ${crawl.id} ${isWindow ? 'asked' : 'did not ask'} for tweet ${newest.id} below its end`,
      );
  }
}

/** Whether the service answered 404 for a tweet, after its last sighting and before a time. */
function isGoneBy({ stored }: Evidence, { id }: Post, time: number): boolean {
  const lastSeenAt = stored.findLast((one) => shows(one, id))?.at ?? -Infinity;
  return stored.some(
    ({ endpoint, parameters, status, at, answeredAt = at }) =>
      endpoint === 'tweet-detail' &&
      parameters['restId'] === id &&
      status === 404 &&
      lastSeenAt < at &&
      answeredAt < time,
  );
}

/** The most re-checks that one crawl may cause. */
const MOST_RECHECKS = 20;

const crawlOf = ({ crawls }: Evidence, { sender }: Served): CrawlFacts =>
  crawls.find(({ id }) => id === sender.crawlId)!;

/** Whether the crawl of a response had ended at a time, with everything stored. */
const isOver = (evidence: Evidence, entry: Served, at: number): boolean =>
  (crawlOf(evidence, entry).finished_at ?? Infinity) < at;

/** Returns the author's tweets, each once. */
const postsOf = ({ truth }: Evidence, { id }: Account): Post[] =>
  once(truth.posts.filter(({ author }) => author === id));

const once = (posts: readonly Post[]): Post[] => [...new Map(posts.map((post) => [post.id, post])).values()];

/** Returns the tweets that pages show as list items. */
function itemsOf({ truth }: Evidence, pages: readonly Served[]): Post[] {
  const ids = new Set(pages.flatMap(({ parsed }) => parsed!.items));
  return once(truth.posts.filter(({ id }) => ids.has(id)));
}

/** Returns all stored pages of the lists of an author, with earlier pages of their crawls. */
function readsOf(evidence: Evidence, author: string): ListRead[] {
  const all = evidence.stored.filter(
    ({ endpoint, parameters, parsed }) => LISTS.includes(endpoint) && parameters['restId'] === author && parsed,
  );
  return all.map((page) => ({
    page,
    pages: all.filter(({ sender, n }) => sender.crawlId === page.sender.crawlId && n <= page.n),
  }));
}

/** Whether a tweet and its author existed between two times. */
function isVisible({ truth }: Evidence, id: string, first: number, last: number): boolean {
  return truth.posts.some((post) => {
    const author = truth.accounts.find((one) => one.id === post.author)!;
    return post.id === id && wasThere(post, first, last) && wasThere(author, first, last);
  });
}
