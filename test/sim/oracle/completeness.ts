import { targetParameters } from '#service/contract/endpoints.ts';
import { type KindName, kindTable } from '#service/kinds/kinds.ts';
import type { Served } from '../service.ts';
import { type Account, wasThere } from '../truth.ts';
import { isOutOfPlace, hadUndetectableFault } from './endings.ts';
import { type CrawlFacts, describeEnding, type Evidence, timesOf } from './evidence.ts';

interface CompletenessRow {
  readonly kind: KindName;
  readonly target_rest_id: string;
  readonly is_complete: 0 | 1;
  readonly complete_as_of: string | null;
}

/**
 * `is_complete` means evidence of the list from any crawls (invariant 5). A search, a community or a list is never complete.
 * For lists of users, tweets and profiles, the newest crawl that reached its end decides. A complete timeline is complete
 * by the ground truth; and every timeline that was read to the service's own end and has no newer tweet is complete,
 * whatever later crawls did.
 */
export function checkCompleteness(evidence: Evidence): void {
  const { db, fail } = evidence;
  for (const row of db.prepare('select * from v_completeness').all() as CompletenessRow[]) {
    const statement = `v_completeness of ${row.kind} ${row.target_rest_id} is ${row.is_complete} as of ${row.complete_as_of}`;
    if ((row.is_complete === 1) !== (row.complete_as_of !== null)) fail('invariant 5', statement);
    if (row.kind === 'timeline') checkTimeline(evidence, row, statement);
    else {
      const ended = endedOf(evidence, row);
      const states = new Set(
        ended.filter((one) => one.finished_at === ended.at(-1)!.finished_at).map(({ state }) => state),
      );
      const last = ended.at(-1);
      const isProven = last?.state === 'complete' && !['search', 'community', 'list'].includes(row.kind);
      // An account without tweets may have written some later, or deleted those that it had: an interval may remain.
      const isAllowedToLack = row.kind === 'replies' && mayBeInterval(pagesOfList(evidence, row));
      if (states.size < 2 && (row.is_complete === 1) !== isProven && !(isProven && isAllowedToLack))
        fail('invariant 5', `${statement}, and the crawl that came to its end last is ${JSON.stringify(last)}`);
      if (row.kind === 'replies' && row.is_complete === 1 && last) checkNoTweets(evidence, row, last);
    }
  }
}

/** Returns the crawls of a list that reached its end, latest last. */
const endedOf = ({ crawls }: Evidence, { kind, target_rest_id: list }: CompletenessRow): CrawlFacts[] =>
  crawls
    .filter((one) => one.kind === kind && (one.target_rest_id ?? one.target) === list)
    .filter(({ state }) => state === 'complete' || state === 'capped')
    .toSorted((a, b) => a.finished_at! - b.finished_at!);

/** Whether the pages of one crawl may be an interval: several of them, or with several items. */
const mayBeInterval = (pages: readonly Served[]): boolean =>
  pages.some(({ sender, parsed }) => {
    const own = pages.filter((page) => page.sender.crawlId === sender.crawlId);
    return (parsed?.items.length ?? 0) > (own.length > 1 ? 0 : 1);
  });

/** A complete list of replies is one that shows no tweet: the account has none, or a part of the crawl only. */
function checkNoTweets(evidence: Evidence, row: CompletenessRow, crawl: CrawlFacts): void {
  const { truth, sentBy, fail } = evidence;
  const [first, last] = timesOf(evidence, crawl);
  const author = truth.accounts.find(({ id }) => id === row.target_rest_id);
  if (!author || !wasThere(author, first, last) || hadUndetectableFault(sentBy(crawl.id))) return;
  const shown = truth.posts.filter((post) => post.author === author.id && wasThere(post, first, last));
  if (shown.length > 0)
    fail('invariant 5', `${describeEnding(crawl)}, and the list had ${shown.map(({ id }) => id).join(', ')}`);
}

const pagesOfList = ({ stored }: Evidence, { kind, target_rest_id: list }: CompletenessRow): Served[] => {
  const { endpoint } = kindTable[kind];
  const parameter = targetParameters[endpoint];
  return stored.filter((one) => one.endpoint === endpoint && one.parameters[parameter] === list);
};

function checkTimeline(evidence: Evidence, row: CompletenessRow, statement: string): void {
  const { db, truth, plan, fail, crawls } = evidence;
  const pages = pagesOfList(evidence, row);
  const author = truth.accounts.find(({ id }) => id === row.target_rest_id);
  if (hadUndetectableFault(pages) || !author) return;
  const [first, last] = [
    Math.min(...pages.map(({ at }) => at)),
    Math.max(...pages.map(({ answeredAt }) => answeredAt ?? 0)),
  ];
  const own = truth.posts.filter((post) => post.author === author.id && !post.replyTo);
  if (row.is_complete === 1) {
    const asOf = Date.parse(row.complete_as_of!);
    const has = db.prepare('select 1 from tweets where rest_id = ?');
    const lacking = own.filter(
      (post) =>
        post.createdAt <= asOf &&
        post.from <= asOf &&
        wasThere(post, Math.max(post.from, first), last) &&
        wasThere(author, first, last) &&
        !isOutOfPlace(plan, author, post) &&
        !post.isBack &&
        !has.get(post.id),
    );
    if (lacking.length > 0)
      fail('invariant 5', `${statement}, and the store lacks ${lacking.map(({ id }) => id).join(', ')}`);
    return;
  }
  // Intervals that meet at a time stay separate: that of several tweets, or of the newest one after newer ones were deleted,
  // or shown in an instruction of their own, as no items of the list.
  const times = [...new Map(own.map(({ id, createdAt }) => [id, createdAt])).values()];
  const newest = Math.max(...own.filter(({ until }) => until === Infinity).map(({ createdAt }) => createdAt));
  const isOdd =
    new Set(times).size < times.length ||
    times.some((time) => time > newest) ||
    plan.traits.pinned !== 'not' ||
    plan.shapes?.some(({ name }) => name === 'a pin in an instruction of its own') ||
    plan.traits.sparse > 0 ||
    pages.some(({ fault, parsed }) => fault !== undefined || (parsed?.bad ?? 0) > 0);
  const proof = crawls.find(
    (one) =>
      one.kind === 'timeline' &&
      one.target_rest_id === row.target_rest_id &&
      one.state === 'complete' &&
      one.ending === 'served',
  );
  if (!isOdd && proof && !own.some(({ from }) => from >= firstRequest(evidence, proof, author)))
    fail('invariant 5', `${statement}, and crawl ${proof.id} read it to its end`);
}

const firstRequest = (evidence: Evidence, { id, started_at: takenUp }: CrawlFacts, { from }: Account): number =>
  Math.max(from, Math.min(takenUp!, ...evidence.sentBy(id).map(({ at }) => at)));
