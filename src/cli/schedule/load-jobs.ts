import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { readTargetsFromFile } from '#analysis/crawl-targets.ts';
import { openQuery } from '#analysis/sql/sql-query.ts';
import { describeError, UsageError } from '#base/errors.ts';
import { formatProblem } from '#base/yaml-file.ts';
import { pluralize } from '#cli/terminal/print.ts';
import { type JobFile, parseJobFile } from '#crawl/jobs/job-file.ts';
import { isEnabled, type Job } from '#crawl/jobs/job.ts';
import { createCrawlSpec } from '#service/kinds/crawl-spec.ts';
import { openForgottenTargets, requireRemembered } from '#store/erasure/incoming/forgotten-targets.ts';
import { requirePanel } from '#store/panels/panels.ts';
import { openDatabase } from '#store/sqlite/database.ts';

interface LoadedFile extends JobFile {
  readonly path: string;
}

/**
 * Loads the jobs of a folder, one per YAML file. Checks their targets against the store, which is created if it is missing.
 * @throws UsageError with all errors of all files, each with its position and the valid form.
 */
export function loadJobs(folder: string, db: string): Job[] {
  const files = listJobFiles(folder).map(loadFile);
  // A store that cannot be opened is no error of a job file.
  const needsStore = files.some(({ job }) => job && ('sql' in job.targets || panelOf(job) !== undefined));
  if (needsStore) openDatabase(db).$client.close();
  const takenBy = new Map<string, string>();
  const errors = files.flatMap((file) => {
    const { path, job, locate } = file;
    if (!job) return file.problems.map((mistake) => formatProblem(path, mistake, mistake.message));
    const found: string[] = [];
    const other = takenBy.get(job.name);
    if (other !== undefined)
      found.push(formatProblem(path, locate(['name']), `the name "${job.name}" is already used by ${other}`));
    takenBy.set(job.name, path);
    const fault = checkTargets(job, db);
    if (fault !== undefined) found.push(formatProblem(path, locate(locateTargets(job)), fault));
    return found;
  });
  if (errors.length > 0)
    throw new UsageError([`${pluralize(errors.length, 'error')} in job files`, ...errors].join('\n  '));
  return files.map(({ job }) => job!);
}

function listJobFiles(folder: string): string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new UsageError(`there is no folder ${folder}`, { hint: 'Give the folder of your job files.' });
  }
  const names = readdirSync(folder).filter((name) => ['.yaml', '.yml'].includes(extname(name)));
  return names.toSorted().map((name) => join(folder, name));
}

function loadFile(path: string): LoadedFile {
  try {
    const file = parseJobFile(readFileSync(path, 'utf8'), basename(path, extname(path)));
    return { ...file, path, job: file.job && resolveTargetFile(file.job, path) };
  } catch (error) {
    const place = { line: 1, column: 1 };
    return { path, job: undefined, problems: [{ ...place, message: describeError(error) }], locate: () => place };
  }
}

/** Resolves the path of a target file from the folder of the job file. */
function resolveTargetFile(job: Job, path: string): Job {
  if (!('file' in job.targets)) return job;
  return { ...job, targets: { file: resolve(dirname(path), job.targets.file) } };
}

/** The panel of a job, if it has one. */
const panelOf = ({ targets }: Job): string | undefined =>
  'panel' in targets ? targets.panel : 'recheck' in targets ? targets.recheck.panel : undefined;

const locateTargets = ({ targets }: Job): string[] =>
  'recheck' in targets ? ['recheck', 'panel'] : ['targets', Object.keys(targets)[0]!];

/** Why targets cannot be read now; undefined if they can. Each run reads them again. */
function checkTargets(job: Job, db: string): string | undefined {
  const { targets } = job;
  try {
    if ('list' in targets) checkList(job, targets.list, db);
    if ('file' in targets) readTargetsFromFile(targets.file);
    if ('sql' in targets) openQuery({ db, sql: targets.sql })[Symbol.dispose]();
    // That of a disabled job, such as an example, may not exist yet.
    const panel = panelOf(job);
    if (panel !== undefined && isEnabled(job)) checkPanel(panel, db);
    return undefined;
  } catch (error) {
    return describeError(error).replaceAll('\n  ', '; ');
  }
}

/** @throws UsageError if targets are forgotten accounts: the store keeps the definition of a job */
function checkList(job: Job, targets: readonly string[], db: string): void {
  using store = openForgottenTargets(db);
  const specs = targets.map((target) => createCrawlSpec({ kind: job.kind, target, priority: job.priority }));
  requireRemembered(specs, store.isForgotten);
}

/** @throws UsageError if there is no such panel. An empty one may get members before the run. */
function checkPanel(name: string, path: string): void {
  using db = openDatabase(path);
  requirePanel(db, name);
}
