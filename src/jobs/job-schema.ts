import Type, { type Static } from 'typebox';
import { ACCOUNT_KINDS } from '../kinds/crawl-spec.ts';
import { KIND_NAMES } from '../kinds/kinds.ts';
import { PRIORITIES } from '../quota/priorities.ts';
import { TIME_SPAN_PATTERN } from './job-schedule.ts';

// oxlint-disable unicorn/no-thenable -- `then` is a word of job files, as it is of the command line; it holds no function

/** A job file, once: what it is checked by, and what editors are given as `jobs/job.schema.json`. */

/** Names end up in keys of Redis, in logs and on command lines. */
const NAME = '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$';
const SINCE = `^([0-9]{4}-[0-9]{2}-[0-9]{2})$|${TIME_SPAN_PATTERN}`;

const closed = { additionalProperties: false } as const;
const count = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }));

const options = Type.Object(
  {
    maxPages: count('Stop after so many pages; the crawl is then partial.'),
    since: Type.Optional(
      Type.String({
        pattern: SINCE,
        description: 'Stop at items older than this day (2025-01-31), or than this long before the run (30d).',
      }),
    ),
    full: Type.Optional(
      Type.Literal(true, { description: 'Walk the whole list at every run, also what is known complete of it.' }),
    ),
    noVerify: Type.Optional(
      Type.Literal(true, { description: 'Do not ask after tweets that are missing from the list.' }),
    ),
    then: Type.Optional(
      Type.Array(Type.Enum(ACCOUNT_KINDS), {
        minItems: 1,
        description: 'A snowball: crawl these kinds, too, of every account that is found.',
      }),
    ),
    depth: count('How many generations of the snowball (default: 1).'),
    maxTargets: count('How many accounts at most, for all targets of a run together.'),
    thenMaxPages: count('Stop each crawl of the snowball after so many pages.'),
  },
  { ...closed, description: 'The options of `trawl crawl`.' },
);

const budget = Type.Object(
  {
    perRun: count('Send so many requests in a run at most; what is not done by then is partial.'),
    perDay: count('Send so many requests on a day (UTC) at most, all runs together; the rest waits for the next day.'),
  },
  { ...closed, description: 'How many requests the job may send, with all that comes of its crawls.' },
);

export const jobSchema = Type.Object(
  {
    name: Type.Optional(
      Type.String({ pattern: NAME, description: "What the job is called (default: the file's name)." }),
    ),
    cron: Type.Optional(
      Type.String({
        description: 'When it runs: minute, hour, day of month, month, day of week; seconds may come first.',
      }),
    ),
    timezone: Type.Optional(
      Type.String({ description: 'Whose clock `cron` means, such as Europe/Berlin (default: UTC).' }),
    ),
    every: Type.Optional(
      Type.String({
        pattern: TIME_SPAN_PATTERN,
        description: 'How often it runs, in place of `cron`: 90s, 15m, 6h or 1d. The first run is at once.',
      }),
    ),
    kind: Type.Enum(KIND_NAMES, { description: 'What is crawled.' }),
    targets: Type.Union(
      [
        Type.Array(Type.Union([Type.String(), Type.Integer()]), {
          minItems: 1,
          description: 'The targets themselves.',
        }),
        Type.Object(
          {
            file: Type.String({
              minLength: 1,
              description: 'A file with one target per line, read at every run; from the folder of this file.',
            }),
          },
          closed,
        ),
        Type.Object(
          {
            sql: Type.String({
              minLength: 1,
              description: 'A select over the database, run at every run; its first column names the targets.',
            }),
          },
          closed,
        ),
      ],
      { description: 'Whom or what: a list, a file, or a select over the database.' },
    ),
    priority: Type.Optional(
      Type.Enum([...PRIORITIES], { description: 'How urgent its crawls are (default: scheduled).' }),
    ),
    options: Type.Optional(options),
    budget: Type.Optional(budget),
  },
  {
    ...closed,
    title: 'A scheduled crawl job of trawl',
    oneOf: [{ required: ['cron'] }, { required: ['every'] }],
  },
);

/** A job file's content, once it has been found to be right. */
export type JobDocument = Static<typeof jobSchema>;

/** What each key should be, for people. */
export const EXPECTED: Readonly<Record<string, string>> = {
  name: 'letters, digits, - and _, at most 64',
  cron: 'a pattern in quotes, such as "0 3 * * *"',
  timezone: 'a time zone such as Europe/Berlin',
  every: 'a number with a unit, such as 90s, 15m, 6h or 1d',
  kind: `one of ${KIND_NAMES.join(', ')}`,
  targets: 'a list, or file: with a path, or sql: with a select',
  priority: `one of ${PRIORITIES.join(', ')}`,
  options: 'a map of options',
  budget: 'a map with perRun, perDay or both',
  perRun: 'a whole number from 1 up',
  perDay: 'a whole number from 1 up',
  maxPages: 'a whole number from 1 up',
  since: 'a day such as 2025-01-31, or an age such as 30d',
  full: 'true, or left out',
  noVerify: 'true, or left out',
  then: `a list of ${ACCOUNT_KINDS.join(', ')}`,
  depth: 'a whole number from 1 up',
  maxTargets: 'a whole number from 1 up',
  thenMaxPages: 'a whole number from 1 up',
};
