import { type Document, isMap, isScalar, isSeq } from 'yaml';
import { type PositionFinder, type FileProblem, parseYaml } from '../yaml-file.ts';
import { type Content, findProblems } from './job-checks.ts';
import { parseTimeSpan } from './job-schedule.ts';
import type { JobDocument } from './job-schema.ts';
import type { Job } from './job.ts';

/** A job file taken apart: its job, or everything that is wrong with it. */
export interface JobFile {
  /** Undefined when there are mistakes. */
  readonly job: Job | undefined;
  readonly problems: readonly FileProblem[];
  /** Where a part of the file stands, for mistakes that only a look outside of it shows. */
  readonly locate: PositionFinder;
}

/** Reads the text of a job file; `name` is the job's where the file says none. Pure: nothing else is looked at. */
export function parseJobFile(text: string, name: string): JobFile {
  const { document, content: plain, problem, locate } = parseYaml(text);
  if (problem) return wrong(problem);
  if (!isMap(document.contents))
    return wrong({ ...locate([]), message: 'a job file is a map, with keys such as kind: and targets:' });
  const content = withTargetsAsText(document, plain as Content);
  const mistakes = findProblems(content, name, locate);
  return { job: mistakes.length > 0 ? undefined : jobOf(content as JobDocument, name), problems: mistakes, locate };

  function wrong(only: FileProblem): JobFile {
    return { job: undefined, problems: [only], locate };
  }
}

/** A target is the text that stands there: an id of many digits is no number. */
function withTargetsAsText(document: Document, content: Content): Content {
  const nodes = document.get('targets', true);
  const values = content['targets'];
  if (!isSeq(nodes) || !Array.isArray(values)) return content;
  const targets = values.map((value: unknown, i) => {
    const node = nodes.items[i];
    return isScalar(node) && ['number', 'boolean'].includes(typeof value) ? node.source : value;
  });
  return { ...content, targets };
}

function jobOf(document: JobDocument, name: string): Job {
  const { cron, timezone = 'UTC', every, kind, targets } = document;
  return {
    name: document.name ?? name,
    schedule: cron === undefined ? { every: parseTimeSpan(every!) } : { cron, timezone },
    kind,
    targets: Array.isArray(targets) ? { list: targets.map(String) } : targets,
    priority: document.priority ?? 'scheduled',
    options: document.options ?? {},
    ...(document.budget === undefined ? {} : { budget: document.budget }),
  };
}
