import { type Document, isMap, isScalar, isSeq } from 'yaml';
import { type PositionFinder, type FileProblem, parseYaml } from '../../base/yaml-file.ts';
import { parsePart } from '../../service/kinds/target-part.ts';
import { type Content, findProblems } from './job-checks.ts';
import { parseTimeSpan } from './job-schedule.ts';
import type { JobDocument } from './job-schema.ts';
import type { Job } from './job.ts';

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
    ...(document.host === undefined ? {} : { host: document.host }),
    ...(document.enabled === false ? { enabled: false } : {}),
    schedule: cron === undefined ? { every: parseTimeSpan(every!) } : { cron, timezone },
    ...createSubject(document),
    options: document.options ?? {},
    ...(document.budget === undefined ? {} : { budget: document.budget }),
    ...(purpose === undefined ? {} : { purpose }),
    ...(ethicsRef === undefined ? {} : { ethicsRef }),
    ...(retention === undefined ? {} : readRetention(retention)),
  };
}

/** What the job crawls or checks. */
function createSubject({ kind, targets, part, recheck, priority, notify }: JobDocument) {
  if (recheck !== undefined) {
    return {
      kind: recheck.items === 'tweets' ? 'tweet' : 'profile',
      targets: { recheck: { olderThan: DEFAULT_AGE, ...recheck } },
      priority: priority ?? 'backfill',
      // Nothing new is the usual result of a check.
      notify: { emptyRuns: 0, ...notify },
    } as const;
  }
  return {
    kind: kind!,
    targets: Array.isArray(targets) ? { list: targets.map(String) } : targets!,
    ...(part === undefined ? {} : { part: parsePart(part)! }),
    priority: priority ?? 'scheduled',
    ...(notify === undefined ? {} : { notify }),
  };
}

/** The age of checks after which a job repeats them. */
const DEFAULT_AGE = '30d';
