import { hashBody } from '#base/raw-bodies.ts';
import { isGoneEnd } from '#service/kinds/decide-end.ts';
import { compileUpsert, takeObserved } from '#store/merge/merge-rules.ts';
import type { PageCommit, Refusal } from '#store/schema/commit-messages.ts';
import { endpointFindings } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { createValuePreparer } from '#store/sqlite/statement.ts';
import { IS_DELETED } from './deleted-tweets.ts';

const NOT_FOUND = 'not found';

/**
 * 404s that say of something stored that it is gone: a tweet, by `tweet-detail`; an account, by `followers` or `following`
 * (invariant 7). A service that answers 404 to everything would say it of all. So they are counted by endpoint over all
 * crawls, from its last page on. Ends of targets that are not stored are no evidence, and not counted.
 */
export function prepareNotFoundEvidence(db: Db) {
  const prepareValue = createValuePreparer(db);
  const isOfEndpoint = `endpoint = ? and finding = '${NOT_FOUND}'`;
  const countOthers = prepareValue<[endpoint: string, account: string], number>(
    `select count(*) from _endpoint_findings where ${isOfEndpoint} and account <> ?`,
  );
  const remove = db.$client.prepare<[string]>(`delete from _endpoint_findings where ${isOfEndpoint}`);
  const upsert = compileUpsert(db, endpointFindings, ['endpoint', 'finding', 'account'], {
    outcome: takeObserved,
    seenAt: takeObserved,
  });
  const findTweet = prepareValue<[string], number>(`select id from tweets where rest_id = ? and not ${IS_DELETED}`);
  const findAccount = prepareValue<[string], number>('select id from users where rest_id = ?');
  const stored: Readonly<Record<string, typeof findTweet>> = {
    'tweet-detail': findTweet,
    followers: findAccount,
    following: findAccount,
  };

  /** The number of other targets with a 404 since the last page of the endpoint; undefined for a target that is not stored. */
  function countUnchecked(refusal: Refusal): number | undefined {
    const { endpoint, subject } = refusal;
    return stored[endpoint]?.get(subject) && countOthers.get(endpoint, digestSubject(refusal));
  }

  return {
    countUnchecked,

    /** Records the responses of a page. Returns `countUnchecked` for an end that rests on a 404; undefined for any other. */
    readUnchecked({ end, refusal, requests, storedBodyIds }: PageCommit): number | undefined {
      const served = requests.filter(({ status }) => status !== null && status >= 200 && status < 300);
      for (const name of new Set(served.map((request) => request.endpoint))) remove.run(name);
      const isGone = !storedBodyIds && end && isGoneEnd(end) && refusal?.cause === 'not_found';
      return isGone ? countUnchecked(refusal) : undefined;
    },

    /** Counts an end that rests on a 404. */
    countEnd({ refusal, at }: PageCommit): void {
      const { endpoint: name } = refusal!;
      upsert.run({ endpoint: name, finding: NOT_FOUND, account: digestSubject(refusal!), outcome: 'gone', seenAt: at });
    },
  };
}

const digestSubject = ({ subject }: Refusal): string => hashBody(Buffer.from(subject)).slice(0, 12);
