import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { openQuery } from '../../analysis/sql/query.ts';
import { readTargetsFromFile } from '../../analysis/targets.ts';
import { describeError, UsageError } from '../../errors.ts';
import { type JobFile, parseJobFile } from '../../jobs/job-file.ts';
import type { Job } from '../../jobs/job.ts';
import { openDatabase } from '../../store/sqlite/database.ts';
import { formatProblem } from '../../yaml-file.ts';
import { pluralize } from '../terminal/format.ts';

/** A job file as it was read, and where. */
interface Read extends JobFile {
  readonly path: string;
}

/**
 * The jobs of a folder, one per YAML file; whether their targets can be looked up is tried on the store, which is made
 * if it is missing. @throws UsageError with every mistake of every file: where it stands, and what would be right.
 */
export function loadJobs(folder: string, db: string): Job[] {
  const files = jobFiles(folder).map(read);
  // A store that cannot be opened is no mistake of a job file.
  if (files.some(({ job }) => job && 'sql' in job.targets)) openDatabase(db).$client.close();
  const takenBy = new Map<string, string>();
  const mistakes = files.flatMap((file) => {
    const { path, job, locate } = file;
    if (!job) return file.problems.map((mistake) => formatProblem(path, mistake, mistake.message));
    const found: string[] = [];
    const other = takenBy.get(job.name);
    if (other !== undefined)
      found.push(formatProblem(path, locate(['name']), `the name "${job.name}" is taken by ${other}`));
    takenBy.set(job.name, path);
    const fault = faultOfTargets(job, db);
    if (fault !== undefined) found.push(formatProblem(path, locate(['targets', Object.keys(job.targets)[0]!]), fault));
    return found;
  });
  if (mistakes.length > 0)
    throw new UsageError([`${pluralize(mistakes.length, 'mistake')} in job files`, ...mistakes].join('\n  '));
  return files.map(({ job }) => job!);
}

function jobFiles(folder: string): string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new UsageError(`there is no folder ${folder}`, { hint: 'Name the folder that your job files are in.' });
  }
  const names = readdirSync(folder).filter((name) => ['.yaml', '.yml'].includes(extname(name)));
  return names.toSorted().map((name) => join(folder, name));
}

function read(path: string): Read {
  try {
    const file = parseJobFile(readFileSync(path, 'utf8'), basename(path, extname(path)));
    return { ...file, path, job: file.job && fromFolder(file.job, path) };
  } catch (error) {
    const place = { line: 1, column: 1 };
    return { path, job: undefined, problems: [{ ...place, message: describeError(error) }], locate: () => place };
  }
}

/** A file of targets is named from the folder of the job file, and found from anywhere. */
function fromFolder(job: Job, path: string): Job {
  if (!('file' in job.targets)) return job;
  return { ...job, targets: { file: resolve(dirname(path), job.targets.file) } };
}

/** Why targets cannot be looked up now; they will be looked up at every run. */
function faultOfTargets({ targets }: Job, db: string): string | undefined {
  try {
    if ('file' in targets) for (const _ of readTargetsFromFile(targets.file)) break;
    if ('sql' in targets) openQuery({ db, sql: targets.sql })[Symbol.dispose]();
    return undefined;
  } catch (error) {
    return describeError(error).replaceAll('\n  ', '; ');
  }
}
