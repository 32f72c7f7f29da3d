import { withIsoTimes } from '../../../base/units.ts';
import { prepareSearchTargets } from '../../../store/crawls/search-targets.ts';
import { readCollectionSummary } from '../../export/collection.ts';
import type { Snapshot } from '../../export/snapshot.ts';
import { readDeletionEvidence } from '../../export/table-query.ts';
import { prepareHiddenData } from '../hidden.ts';
import type { ReadOptions, Report } from '../report.ts';
import { listAnswers, prepareQueries, runOverTime } from '../run-queries.ts';
import { describeSearch, type SearchReportData } from './describe-search.ts';
import { readSearch, readSearchedTime, selectSearchCrawls } from './read-search.ts';

/** Reads the report of a search. Returns undefined if it was never crawled. */
export function readSearchReport({ db, takenAt }: Snapshot, typed: string, options: ReadOptions): Report | undefined {
  const query = prepareSearchTargets(db)(typed);
  if (query === undefined) return undefined;
  const search = readSearch(db, query);
  const hidden = prepareHiddenData(db, options);
  const run = prepareQueries(db, options.catalogue, takenAt, options.olderThan);
  const answers = {
    ...runOverTime(run, ['search-hits-per-period'], { search: query }),
    'search-top-tweets': hidden.leaveOut(run('search-top-tweets', { search: query })),
    'search-top-authors': hidden.leaveOut(run('search-top-authors', { search: query })),
  };
  const deletions = readDeletionEvidence({ db, takenAt }, { olderThan: options.olderThan });
  const searched = readSearchedTime(db, query) ?? null;
  const collection = readCollectionSummary(db, selectSearchCrawls(query));
  const data: SearchReportData = {
    search,
    searched,
    answers,
    deletions,
    collection,
  };
  return {
    data: { search, searched: searched && withIsoTimes(searched), collection, answers: listAnswers(answers) },
    deletions,
    queries: Object.values(answers),
    excluded: options.includeDeleted
      ? {}
      : { deletedTweets: search.deletedTweets, tweetsOfUnavailableAccounts: search.tweetsOfUnavailableAccounts },
    describe: (origin) => describeSearch(data, origin),
  };
}
