import { prepareAccountCoverage } from '#analysis/coverage/account-coverage.ts';
import { readObservedTimes, selectAccountCrawls } from '#analysis/history/crawl-selection.ts';
import { describeLostFollowers } from '#analysis/history/describe-lost-followers.ts';
import { withIsoTimes } from '#base/units.ts';
import { readCollectionSummary } from '#files/export/collection.ts';
import type { Snapshot } from '#files/export/snapshot.ts';
import { readDeletionEvidence } from '#files/export/table-query.ts';
import { prepareHiddenData } from '#files/report/hidden.ts';
import type { ReadOptions, Report } from '#files/report/report.ts';
import { type AnsweredQuery, listAnswers, prepareQueries, runOverTime } from '#files/report/run-queries.ts';
import {
  type AccountReportData,
  CHARTS_OF_OBSERVATIONS,
  CHARTS_OF_TWEETS,
  describeAccount,
} from './describe-account.ts';
import { readAccount } from './read-account.ts';

/** The numbers of tweets and of changes that a report lists. */
const LISTED_TWEETS = 10;
const LISTED_CHANGES = 20;

/** Reads the report of an account. Returns undefined if it is not in the store. */
export function readAccountReport({ db, takenAt }: Snapshot, restId: string, options: ReadOptions): Report | undefined {
  const hidden = prepareHiddenData(db, options);
  const account = readAccount(db, restId, hidden);
  const coverage = prepareAccountCoverage(db)(restId);
  if (!account || !coverage) return undefined;
  const run = prepareQueries(db, options.catalogue, takenAt, options.olderThan);
  const target = { account: `id:${restId}` };
  const crawls = selectAccountCrawls(account);
  const { days } = readObservedTimes(db, restId, crawls);
  // Rows that are left out make room for others.
  const limit = LISTED_TWEETS + (options.includeDeleted ? 0 : account.deletedTweets);
  const topTweets = (): AnsweredQuery => {
    const { answer, ...answered } = hidden.leaveOut(run('top-tweets', { ...target, limit }));
    return { ...answered, answer: { ...answer, rows: answer.rows.slice(0, LISTED_TWEETS) } };
  };
  const deletions = readDeletionEvidence({ db, takenAt }, { accountRestIds: [restId], olderThan: options.olderThan });
  const data: AccountReportData = {
    account,
    coverage: account.isHidden ? { ...coverage, account: { ...coverage.account, name: null } } : coverage,
    collection: readCollectionSummary(db, crawls),
    charts: {
      ...runOverTime(run, CHARTS_OF_OBSERVATIONS, target, days),
      ...runOverTime(run, CHARTS_OF_TWEETS, target),
      'activity-by-hour': run('activity-by-hour', target),
    },
    texts: account.isHidden
      ? null
      : {
          'top-tweets': topTweets(),
          'profile-changes': run('profile-changes', { ...target, limit: LISTED_CHANGES }),
        },
    changes: {
      'deleted-tweets': hidden.blank(run('deleted-tweets', { ...target, limit: LISTED_CHANGES })),
      'edited-tweets': hidden.blank(run('edited-tweets', { ...target, limit: LISTED_CHANGES })),
    },
    lostFollowers: describeLostFollowers(db, restId),
    deletions,
  };
  const answers = { ...data.charts, ...data.texts, ...data.changes };
  return {
    data: {
      account,
      coverage: withIsoTimes(data.coverage),
      collection: data.collection,
      answers: listAnswers(answers),
    },
    queries: Object.values(answers),
    deletions,
    excluded: options.includeDeleted
      ? {}
      : { deletedTweets: account.deletedTweets, unavailableAccounts: account.isHidden ? 1 : 0 },
    describe: (origin) => describeAccount(data, origin),
  };
}
