import { Compile } from 'typebox/compile';
import { type Document, isMap, isScalar, isSeq } from 'yaml';
import { UsageError } from '#base/errors.ts';
import { createSchemaCheck, locateProblems } from '#base/schema-check.ts';
import { toOptionNames } from '#base/text.ts';
import { formatDuration } from '#base/units.ts';
import { type PositionFinder, type FileProblem, parseYaml, type DocumentPath } from '#base/yaml-file.ts';
import { createCrawlSpec, LATEST_READING } from '#service/kinds/crawl-spec.ts';
import { type CrawlOptions, type KindName, kindTable } from '#service/kinds/kinds.ts';
import { parseTimeSpan, describeCronError, isTimezone, type Schedule } from './job-schedule.ts';
import { type JobDocument, EXPECTED, jobSchema } from './job-schema.ts';
import { type Job, createCrawlOptions, isDayOrAge, type JobRecheck } from './job.ts';
import { parseWebhookUrl } from './notify.ts';

/** A parsed job file: its job, or its problems. */
export interface JobFile {
  readonly job: Job | undefined;
  readonly problems: readonly FileProblem[];
  readonly locate: PositionFinder;
}

/** Parses the text of a job file. `name` is the default name of the job. Pure: reads no other file. */
export function parseJobFile(text: string, name: string): JobFile {
  const { document, content, problem, locate } = parseYaml(text);
  const reject = (problems: readonly FileProblem[]): JobFile => ({ job: undefined, problems, locate });
  if (problem) return reject([problem]);
  if (!isMap(document.contents))
    return reject([{ ...locate([]), message: 'a job file is a map, with keys such as kind: and targets:' }]);
  const values = convertTargetsToText(document, content as Content);
  const problems = findProblems(values, name, locate);
  return problems.length > 0 ? reject(problems) : { job: createJob(values as JobDocument, name), problems, locate };
}

/** Takes targets as they are written: an id of many digits is no number. */
function convertTargetsToText(document: Document, content: Content): Content {
  const nodes = document.get('targets', true);
  const values = content['targets'];
  if (!isSeq(nodes) || !Array.isArray(values)) return content;
  const targets = values.map((value: unknown, i) => {
    const node = nodes.items[i];
    return isScalar(node) && ['number', 'boolean'].includes(typeof value) ? node.source : value;
  });
  return { ...content, targets };
}

/** The limits of a job, with a statement for people. */
function readRetention(retention: NonNullable<JobDocument['retention']>): Pick<Job, 'retention' | 'retentionLimits'> {
  if (typeof retention === 'string') return { retention };
  const { statement, ...limits } = retention;
  const deleted = [
    ...(limits.bodies === undefined ? [] : [`bodies of responses after ${limits.bodies}`]),
    ...(limits.tweets === undefined ? [] : [`tweets ${limits.tweets} after they were written`]),
  ];
  const texts = [
    ...(statement === undefined ? [] : [statement]),
    ...(deleted.length === 0 ? [] : [`trawl deletes ${deleted.join(', and ')}`]),
  ];
  return { retention: texts.join('; '), ...(deleted.length === 0 ? {} : { retentionLimits: limits }) };
}

function createJob(document: JobDocument, name: string): Job {
  const { cron, timezone = 'UTC', every, purpose, ethicsRef, retention } = document;
  return {
    name: document.name ?? name,
    ...(document.enabled === false ? { enabled: false } : {}),
    schedule: cron === undefined ? readInterval(every!) : { cron, timezone },
    ...createSubject(document),
    options: document.options ?? {},
    ...(document.budget === undefined ? {} : { budget: document.budget }),
    ...(purpose === undefined ? {} : { purpose }),
    ...(ethicsRef === undefined ? {} : { ethicsRef }),
    ...(retention === undefined ? {} : readRetention(retention)),
  };
}

const readInterval = (every: NonNullable<JobDocument['every']>): Schedule =>
  typeof every === 'string'
    ? { every: parseTimeSpan(every) }
    : { every: parseTimeSpan(every.least), greatest: parseTimeSpan(every.greatest) };

/** What the job crawls or checks. */
function createSubject({ kind, targets, recheck, priority, notify }: JobDocument) {
  if (recheck !== undefined) {
    return {
      kind: recheck.items === 'tweets' ? 'tweet' : 'profile',
      targets: { recheck: recheck.metricsAt ? recheck : { olderThan: DEFAULT_AGE, ...recheck } },
      priority: priority ?? 'backfill',
      // Nothing new is the usual result of a check.
      notify: { emptyRuns: 0, ...notify },
    } as const;
  }
  return {
    kind: kind!,
    targets: Array.isArray(targets) ? { list: targets.map(String) } : targets!,
    priority: priority ?? 'scheduled',
    ...(notify === undefined ? {} : { notify }),
  };
}

/** The age of checks after which a job repeats them. */
const DEFAULT_AGE = '30d';

/** The content of a job file as plain values, unchecked. */
type Content = Readonly<Record<string, unknown>>;

const check = Compile(jobSchema);
const findShapeProblems = createSchemaCheck(jobSchema, { expected: EXPECTED });

/** Finds all problems of the content of a job file, in their order in the file. */
function findProblems(content: Content, name: string, locate: PositionFinder): FileProblem[] {
  const problems = findShapeProblems(content);
  const report: ProblemReporter = (path, message, part) =>
    void problems.push({ path, message, ...(part && { isKey: true }) });
  for (const checkPart of [checkName, checkSchedule, checkSubject, checkOptions, checkTargets, checkNotify])
    checkPart(content, report, name);
  return locateProblems(problems, locate);
}

type ProblemReporter = (path: DocumentPath, message: string, part?: 'key') => void;

/** Checks a part of a job that matches the schema. Parts that do not match are ignored. */
type JobCheck = (content: Content, report: ProblemReporter, name: string) => void;

/** Whether these parts of a file match the schema. */
const matchesSchema = (parts: Content): boolean =>
  check.Check({ kind: 'profile', targets: ['a'], every: '1d', ...parts });

const checkName: JobCheck = (content, report, name) => {
  if ('name' in content || matchesSchema({ name })) return;
  report([], `"${name}" cannot be a job's name: give it another with name: ${EXPECTED['name']}`);
};

const checkSchedule: JobCheck = ({ cron, every, timezone, kind, recheck }, report) => {
  if (cron !== undefined && every !== undefined) report(['every'], 'both cron and every: a job has one of them', 'key');
  if (cron === undefined && every === undefined) report([], 'cron or every is missing: when does the job run?');
  if (timezone !== undefined && cron === undefined) report(['timezone'], 'timezone goes with cron only', 'key');
  const fault = typeof cron === 'string' ? describeCronError(cron) : undefined;
  if (fault !== undefined) report(['cron'], `"${String(cron)}" is not a cron pattern: ${fault}`);
  if (typeof timezone === 'string' && !isTimezone(timezone)) {
    report(['timezone'], `"${timezone}" is not ${EXPECTED['timezone']}`);
  }
  if (typeof every !== 'object' || !matchesSchema({ every })) return;
  const { least, greatest } = every as Exclude<NonNullable<JobDocument['every']>, string>;
  if (parseTimeSpan(greatest) < 2 * parseTimeSpan(least))
    report(['every', 'greatest'], 'greatest should be at least twice least');
  // The interval follows the new items of a list.
  if (recheck !== undefined || kind === 'profile')
    report(['every'], `${recheck === undefined ? 'profile' : 'recheck'} needs one interval, such as every: 1d`);
};

/** A job crawls targets of a kind, or checks what is stored. */
const checkSubject: JobCheck = (content, report) => {
  const { recheck, budget, every } = content;
  if (recheck === undefined) {
    for (const key of ['kind', 'targets'])
      if (!Object.hasOwn(content, key)) report([], `${key} is missing: ${EXPECTED[key]}`);
    return;
  }
  for (const key of ['kind', 'targets', 'part', 'options'])
    if (Object.hasOwn(content, key)) report([key], `${key} does not go with recheck`, 'key');
  if (!matchesSchema({ recheck, budget })) return;
  const { items, metricsAt, olderThan } = recheck as JobRecheck;
  if (metricsAt && items === 'users') report(['recheck', 'metricsAt'], 'metricsAt goes with items: tweets only', 'key');
  if (metricsAt && olderThan !== undefined)
    report(['recheck', 'olderThan'], 'both metricsAt and olderThan: a recheck has one of them', 'key');
  const window = (LATEST_READING - 1) * Math.min(...(metricsAt ?? []).map(parseTimeSpan));
  if (typeof every === 'string' && matchesSchema({ every }) && parseTimeSpan(every) > window)
    report(
      ['every'],
      `a run every ${every} misses ages of metricsAt: it needs one at least every ${formatDuration(window)}`,
    );
  const { perRun } = (budget ?? {}) as NonNullable<Job['budget']>;
  const least = items === 'users' ? kindTable.profile.maxRequestsPerPage : 1;
  if (perRun === undefined) report([], 'budget is missing: a recheck needs budget: { perRun: … }');
  else if (perRun < least) report(['budget', 'perRun'], `the check of an account may take ${least} requests`);
};

const checkOptions: JobCheck = ({ kind, options }, report) => {
  if (kind === undefined || options === undefined || !matchesSchema({ kind, options })) return;
  const { since } = options as Job['options'];
  if (since !== undefined && !isDayOrAge(since)) {
    return report(['options', 'since'], `since should be ${EXPECTED['since']}; there is no day ${since}`);
  }
  // `1` is a valid target of every kind.
  const fault = describeSpecError(kind as string, '1', createCrawlOptions({ options } as Pick<Job, 'options'>, 0));
  if (fault !== undefined) report(['options'], fault, 'key');
};

const checkTargets: JobCheck = ({ kind, targets }, report) => {
  if (kind === undefined || targets === undefined || !matchesSchema({ kind, targets })) return;
  if (!Array.isArray(targets)) return checkPanel(kind as KindName, targets as object, report);
  for (const [i, target] of targets.entries()) {
    const fault = describeSpecError(kind as string, String(target));
    if (fault !== undefined) report(['targets', String(i)], fault);
  }
};

/** A panel consists of accounts. */
function checkPanel(kind: KindName, targets: object, report: ProblemReporter): void {
  if (!('panel' in targets) || kindTable[kind].targetType === 'account') return;
  report(['targets', 'panel'], `a panel consists of accounts, and ${kind} is not crawled by account`, 'key');
}

const checkNotify: JobCheck = ({ notify }, report) => {
  if (notify === undefined || !matchesSchema({ notify })) return;
  const { url } = notify as NonNullable<Job['notify']>;
  // The URL may contain a secret, so the message does not repeat it.
  if (url !== undefined && parseWebhookUrl(url) === undefined)
    report(['notify', 'url'], `url should be ${EXPECTED['url']}`);
};

/** Returns why a crawl is invalid, with the option names of job files; undefined if it is valid. */
function describeSpecError(kind: string, target: string, options: CrawlOptions = {}): string | undefined {
  try {
    createCrawlSpec({ kind, target, options, priority: 'scheduled' });
    return undefined;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return toOptionNames([error.message, error.hint].filter(Boolean).join('. '));
  }
}
