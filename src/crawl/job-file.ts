import { type Document, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { type Content, findMistakes } from './job-checks.ts';
import { createLocator, type Locator, type Mistake, type Position, positionAt } from './job-mistakes.ts';
import { readSpan } from './job-schedule.ts';
import type { JobDocument } from './job-schema.ts';
import type { Job } from './job.ts';

/** A job file taken apart: its job, or everything that is wrong with it. */
export interface JobFile {
  /** Undefined when there are mistakes. */
  readonly job: Job | undefined;
  readonly mistakes: readonly Mistake[];
  /** Where a part of the file stands, for mistakes that only a look outside of it shows. */
  readonly locate: Locator;
}

/** Reads the text of a job file; `name` is the job's where the file says none. Pure: nothing else is looked at. */
export function readJobFile(text: string, name: string): JobFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const locate = createLocator(document, lines);
  const faults = [...document.errors, ...document.warnings];
  // One mistake of that sort makes others: the first one says it.
  const [fault] = faults;
  if (fault) return wrong(positionAt(lines, fault.pos[0]), `not YAML: ${fault.message}${hintFor(fault.message)}`);
  if (!isMap(document.contents)) return wrong(locate([]), 'a job file is a map, with keys such as kind: and targets:');
  const content = contentOf(document);
  if (content === undefined) return wrong(locate([]), 'too many aliases: say things where they belong');
  const mistakes = findMistakes(content, name, locate);
  return { job: mistakes.length > 0 ? undefined : jobOf(content as JobDocument, name), mistakes, locate };

  function wrong(at: Position, message: string): JobFile {
    return { job: undefined, mistakes: [{ ...at, message }], locate };
  }
}

/** What people run into: characters that mean something to YAML. */
const hintFor = (message: string): string =>
  /alias|reserved character/i.test(message) ? ' (what begins with @ or * is put in quotes)' : '';

/**
 * The content as plain values; undefined when aliases would multiply it. A target is the text that stands there: an id
 * of many digits is no number.
 */
function contentOf(document: Document): Content | undefined {
  const content = plain(document);
  const nodes = document.get('targets', true);
  const values = content?.['targets'];
  if (!isSeq(nodes) || !Array.isArray(values)) return content;
  const targets = values.map((value: unknown, i) => {
    const node = nodes.items[i];
    return isScalar(node) && ['number', 'boolean'].includes(typeof value) ? node.source : value;
  });
  return { ...content, targets };
}

function plain(document: Document): Content | undefined {
  try {
    return document.toJS() as Content;
  } catch {
    return undefined;
  }
}

function jobOf(document: JobDocument, name: string): Job {
  const { cron, timezone = 'UTC', every, kind, targets } = document;
  return {
    name: document.name ?? name,
    schedule: cron === undefined ? { every: readSpan(every!) } : { cron, timezone },
    kind,
    targets: Array.isArray(targets) ? { list: targets.map(String) } : targets,
    class: document.class ?? 'scheduled',
    options: document.options ?? {},
  };
}
