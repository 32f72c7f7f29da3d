import { and, count, eq, ne } from 'drizzle-orm';
import { hashBody } from '../../base/raw-bodies.ts';
import { isGoneEnd } from '../../service/kinds/end-states.ts';
import { compileUpsert, takeObserved } from '../merge/merge-rules.ts';
import type { PageCommit, Refusal } from '../schema/messages.ts';
import { endpointFindings, tweets, users } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, compileStatement } from '../sqlite/statement.ts';
import { isNotDeleted } from './deleted-tweets.ts';

const NOT_FOUND = 'not found';
/** How often a 404 of an endpoint counts as evidence since its last page, before a control request has to succeed. */
const MAX_UNCHECKED = 3;

/**
 * 404s that say of something stored that it is gone: a tweet, by `tweet-detail`; an account, by `followers` or `following`
 * (invariant 7). A service that answers 404 to everything would say it of all. So they are counted by endpoint over all
 * crawls, from its last page on. Ends of targets that are not stored are no evidence, and not counted.
 */
export function prepareNotFoundEvidence(db: Db) {
  const { endpoint, finding, account } = endpointFindings;
  const isOfEndpoint = and(eq(endpoint, bound.endpoint), eq(finding, NOT_FOUND));
  const countOthers = compileStatement(
    db
      .select({ n: count() })
      .from(endpointFindings)
      .where(and(isOfEndpoint, ne(account, bound.digest))),
  );
  const remove = compileStatement(db.delete(endpointFindings).where(isOfEndpoint));
  const upsert = compileUpsert(db, endpointFindings, ['endpoint', 'finding', 'account'], {
    outcome: takeObserved,
    seenAt: takeObserved,
  });
  const isTweet = and(eq(tweets.restId, bound.restId), isNotDeleted);
  const findTweet = compileStatement(db.select({ id: tweets.id }).from(tweets).where(isTweet));
  const findAccount = compileStatement(db.select({ id: users.id }).from(users).where(eq(users.restId, bound.restId)));
  const stored: Readonly<Record<string, typeof findTweet>> = {
    'tweet-detail': findTweet,
    followers: findAccount,
    following: findAccount,
  };

  const isOfStored = ({ endpoint: name, subject }: Refusal): boolean =>
    stored[name]?.get({ restId: subject }) !== undefined;

  function needsControl(refusal: Refusal): boolean {
    if (!isOfStored(refusal)) return false;
    const [others] = countOthers.get({ endpoint: refusal.endpoint, digest: digestSubject(refusal) }) as [number];
    return others >= MAX_UNCHECKED;
  }

  return {
    /** Whether a control request has to succeed before a 404 counts as evidence. */
    needsControl,

    /** Counts the end of a page if it rests on a 404. Returns the page, without its end where a control request is missing. */
    admitEnd(page: PageCommit): PageCommit {
      const { end, refusal, requests, at, storedBodyIds } = page;
      const served = requests.filter(({ status }) => status !== null && status >= 200 && status < 300);
      for (const name of new Set(served.map((request) => request.endpoint))) remove.run({ endpoint: name });
      if (storedBodyIds || !end || !isGoneEnd(end) || refusal?.cause !== 'not_found') return page;
      if (!isOfStored(refusal)) return page;
      if (needsControl(refusal)) return { ...page, end: undefined, progress: { ...page.progress, pages: 0 } };
      const found = { endpoint: refusal.endpoint, finding: NOT_FOUND, account: digestSubject(refusal) };
      upsert.run({ ...found, outcome: 'gone', seenAt: at });
      return page;
    },
  };
}

const digestSubject = ({ subject }: Refusal): string => hashBody(Buffer.from(subject)).slice(0, 12);
