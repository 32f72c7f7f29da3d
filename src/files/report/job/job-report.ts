import { readCollectionSummary } from '../../export/collection.ts';
import type { Snapshot } from '../../export/snapshot.ts';
import type { ReadOptions, Report } from '../report.ts';
import { type AnsweredQuery, listAnswers, prepareQueries, toObjects } from '../run-queries.ts';
import { describeJob, type JobReportData, type TargetCounts } from './describe-job-runs.ts';
import { readJob, selectJobCrawls } from './read-job.ts';

/** Reads the report of a job. Returns undefined if no job of this name was ever scheduled or run. */
export function readJobReport({ db, takenAt }: Snapshot, name: string, { catalogue }: ReadOptions): Report | undefined {
  const job = readJob(db, name);
  if (!job) return undefined;
  const run = prepareQueries(db, catalogue, takenAt);
  const answers = { 'job-runs': run('job-runs', { job: name }), 'job-targets': run('job-targets', { job: name }) };
  const counted = { ...job, ...countTargets(answers['job-targets']) };
  const data: JobReportData = { job: counted, answers, collection: readCollectionSummary(db, selectJobCrawls(name)) };
  return {
    data: { ...data, answers: listAnswers(answers) },
    queries: Object.values(answers),
    excluded: {},
    describe: (origin) => describeJob(data, origin),
  };
}

/** Counts the rows of `job-targets`, which has a list of an account once, however it was requested. */
function countTargets({ answer }: AnsweredQuery): TargetCounts {
  const successful = toObjects(answer).filter(({ state }) => state === 'complete' || state === 'capped');
  return { targets: answer.rows.length, successfulTargets: successful.length };
}
