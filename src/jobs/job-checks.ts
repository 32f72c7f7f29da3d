import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import { UsageError } from '../errors.ts';
import { createCrawlSpec } from '../kinds/crawl-spec.ts';
import type { CrawlOptions } from '../kinds/kinds.ts';
import type { PositionFinder, FileProblem, DocumentPath } from '../yaml-file.ts';
import { describeCronError, isTimezone } from './job-schedule.ts';
import { EXPECTED, jobSchema } from './job-schema.ts';
import { createCrawlOptions, isDayOrAge, type Job } from './job.ts';

/** A job file's content as plain values, right or wrong. */
export type Content = Readonly<Record<string, unknown>>;

const check = Compile(jobSchema);

/** Everything that is wrong with a job file's content, in the order in which it stands there. */
export function findProblems(content: Content, name: string, locate: PositionFinder): FileProblem[] {
  const mistakes: FileProblem[] = [...misshapen(content, locate)];
  const say = (path: DocumentPath, message: string, part?: 'key'): void =>
    void mistakes.push({ ...locate(path, part), message });
  for (const look of [lookAtName, lookAtSchedule, lookAtOptions, lookAtTargets]) look(content, say, name);
  return mistakes.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

/** Where the content is not what the schema says. */
function misshapen(content: Content, locate: PositionFinder): FileProblem[] {
  return allErrors(content).flatMap((error): FileProblem[] => {
    const path = error.instancePath.split('/').slice(1);
    const key = path.findLast((part) => !/^\d+$/.test(part)) ?? '';
    // Parts of a choice: the choice itself is reported beside them. Which of cron and every, is said in better words.
    if (/\/(anyOf|oneOf)\//.test(error.schemaPath) || error.keyword === 'oneOf' || error.keyword === 'boolean')
      return [];
    if (error.keyword === 'additionalProperties') {
      const { options, budget } = jobSchema.properties;
      const within = { options, budget }[key as 'options' | 'budget'] ?? jobSchema;
      const known = Object.keys(within.properties);
      return error.params.additionalProperties.map((unknown) => ({
        ...locate([...path, unknown], 'key'),
        message:
          unknown === 'class'
            ? 'class is now called priority'
            : `unknown key "${unknown}"; there are ${known.join(', ')}`,
      }));
    }
    if (error.keyword === 'required') {
      return error.params.requiredProperties.map((missing) => ({
        ...locate(path),
        message: `${missing} is missing: ${EXPECTED[missing]}`,
      }));
    }
    const value = path.reduce<unknown>((within, part) => (within as Content)[part], content);
    const isEmpty = Array.isArray(value) && value.length === 0;
    const is = isEmpty ? 'it is empty' : `not ${JSON.stringify(value)}`;
    return [{ ...locate(path), message: `${key} should be ${EXPECTED[key] ?? error.message}; ${is}` }];
  });
}

/** Typebox stops at eight, for the sake of servers. */
function allErrors(content: Content): ReturnType<typeof check.Errors> {
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: 1000 });
  try {
    return check.Errors(content);
  } finally {
    Settings.Set({ maxErrors });
  }
}

/** Looks at one side of a job of the right shape for what makes no sense. It leaves alone what is misshapen. */
type Look = (content: Content, say: (path: DocumentPath, message: string, part?: 'key') => void, name: string) => void;

/** Whether these parts have the right shape, whatever the rest of the file has. */
const isWellShaped = (parts: Content): boolean =>
  check.Check({ kind: 'profile', targets: ['a'], every: '1d', ...parts });

const lookAtName: Look = (content, say, name) => {
  if ('name' in content || isWellShaped({ name })) return;
  say([], `"${name}" cannot be a job's name: give it another with name: ${EXPECTED['name']}`);
};

const lookAtSchedule: Look = ({ cron, every, timezone }, say) => {
  if (cron !== undefined && every !== undefined) say(['every'], 'both cron and every: a job has one of them', 'key');
  if (cron === undefined && every === undefined) say([], 'cron or every is missing: when does the job run?');
  if (timezone !== undefined && cron === undefined) say(['timezone'], 'timezone goes with cron only', 'key');
  const fault = typeof cron === 'string' ? describeCronError(cron) : undefined;
  if (fault !== undefined) say(['cron'], `"${String(cron)}" is not a cron pattern: ${fault}`);
  if (typeof timezone === 'string' && !isTimezone(timezone)) {
    say(['timezone'], `"${timezone}" is not ${EXPECTED['timezone']}`);
  }
};

const lookAtOptions: Look = ({ kind, options }, say) => {
  if (options === undefined || !isWellShaped({ kind, options })) return;
  const { since } = options as Job['options'];
  if (since !== undefined && !isDayOrAge(since)) {
    return say(['options', 'since'], `since should be ${EXPECTED['since']}; there is no day ${since}`);
  }
  // A target that is one for every kind: only the options are looked at here.
  const fault = faultOf(kind as string, '1', createCrawlOptions({ options } as Pick<Job, 'options'>, 0));
  if (fault !== undefined) say(['options'], fault, 'key');
};

const lookAtTargets: Look = ({ kind, targets }, say) => {
  if (!Array.isArray(targets) || !isWellShaped({ kind, targets })) return;
  for (const [i, target] of targets.entries()) {
    const fault = faultOf(kind as string, String(target));
    if (fault !== undefined) say(['targets', String(i)], fault);
  }
};

/** What `crawlSpec` has against a crawl, in the words of job files. */
function faultOf(kind: string, target: string, options: CrawlOptions = {}): string | undefined {
  try {
    createCrawlSpec({ kind, target, options, priority: 'scheduled' });
    return undefined;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [error.message, error.hint]
      .filter(Boolean)
      .join('. ')
      .replaceAll(/--([a-z-]+)/g, (_, flag: string) => optionNamed(flag));
  }
}

/** `--max-pages` is `maxPages` in a job file. */
const optionNamed = (flag: string): string => flag.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
