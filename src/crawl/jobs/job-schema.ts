import Type, { type Static } from 'typebox';
import { NAME_PATTERN } from '#base/text.ts';
import { ACCOUNT_KINDS } from '#service/kinds/crawl-spec.ts';
import { KIND_NAMES } from '#service/kinds/kinds.ts';
import { PRIORITIES } from '#service/quota/priorities.ts';
import { TIME_SPAN_PATTERN } from './job-schedule.ts';
import { DEFAULT_EMPTY_RUNS, DEFAULT_FAILED_RUNS } from './notify.ts';

/** The schema of job files: checks them, and is published for editors as `jobs/job.schema.json`. */

const SINCE = `^([0-9]{4}-[0-9]{2}-[0-9]{2})$|${TIME_SPAN_PATTERN}`;

const closed = { additionalProperties: false } as const;
const count = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }));

const options = Type.Object(
  {
    maxPages: count('Stop after this many pages; the crawl is then partial.'),
    since: Type.Optional(
      Type.String({
        pattern: SINCE,
        description: 'Stop at items older than this day (2025-01-31), or than this age at the time of the run (30d).',
      }),
    ),
    fullRefresh: Type.Optional(
      Type.Literal(true, { description: 'Read the whole list at every run, including complete intervals.' }),
    ),
    noRecheck: Type.Optional(Type.Literal(true, { description: 'Do not re-check tweets missing from the list.' })),
    then: Type.Optional(
      Type.Array(Type.Enum(ACCOUNT_KINDS), {
        minItems: 1,
        description: 'A snowball: also crawl these kinds of each discovered account.',
      }),
    ),
    depth: count('Generations of the snowball (default: 1).'),
    maxTargets: count('Maximum number of discovered accounts, for all targets of a run together.'),
    thenMaxPages: count('Stop each child crawl after this many pages.'),
  },
  { ...closed, description: 'The options of `trawl crawl`.' },
);

const budget = Type.Object(
  {
    perRun: count('Maximum number of requests in a run; crawls that are unfinished then are partial.'),
    perDay: count('Maximum number of requests in a day (UTC), in all runs; unfinished crawls wait for the next day.'),
  },
  { ...closed, description: 'The requests that the job may send, including those of child crawls.' },
);

const timeSpan = (description: string) => Type.String({ pattern: TIME_SPAN_PATTERN, description });

const interval = Type.Object(
  {
    least: timeSpan('The shortest interval between crawls of a target.'),
    greatest: timeSpan('The longest interval between crawls of a target.'),
  },
  {
    ...closed,
    description: 'Crawl each target at an interval of its own: one with four times as many new items twice as often.',
  },
);

const recheck = Type.Object(
  {
    items: Type.Enum(['tweets', 'users'], { description: 'The stored rows to check.' }),
    olderThan: Type.Optional(timeSpan('Check rows that were not checked for this time (default: 30d).')),
    metricsAt: Type.Optional(
      Type.Array(timeSpan('An age.'), {
        minItems: 1,
        description:
          'Instead of `olderThan`: read tweets again at these ages, so that their likes, retweets, replies and quotes can be compared.',
      }),
    ),
    panel: Type.Optional(
      Type.String({ pattern: NAME_PATTERN, description: 'Only the members of a panel, or their tweets.' }),
    ),
    includeDeleted: Type.Optional(
      Type.Literal(true, { description: 'Also check deleted tweets and unavailable accounts.' }),
    ),
  },
  {
    ...closed,
    description:
      'Instead of `kind` and `targets`: check whether stored tweets or accounts still exist, those with the oldest check first, as `trawl recheck` does. Needs `budget: { perRun: … }`.',
  },
);

const threshold = (description: string, usual: number) =>
  Type.Optional(Type.Integer({ minimum: 0, description: `${description} (default: ${usual}; 0: never).` }));

const notify = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The webhook for the alerts of this job (default: that of `trawl work --notify`).',
      }),
    ),
    failedRuns: threshold('Alert after this many runs in a row without a successful crawl', DEFAULT_FAILED_RUNS),
    emptyRuns: threshold('Alert after this many runs in a row that found nothing new', DEFAULT_EMPTY_RUNS),
  },
  { ...closed, description: 'The alerts of the job. Without a webhook, none are sent.' },
);

/** A sentence for the readers of a dataset. */
const statement = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 1000, description }));

const age = (what: string) => Type.Optional(timeSpan(`${what}, such as 90d.`));

const retention = Type.Union(
  [
    Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'How long the data is kept, in words. Datasets state it; trawl deletes nothing by it.',
    }),
    Type.Object(
      {
        bodies: age('Workers delete bodies of responses to crawls of the job that are older than this'),
        tweets: age(
          'Workers delete tweets that only crawls of the job show, when they were written longer ago than this',
        ),
        statement: statement('How long the data is kept, in words. Datasets state it.'),
      },
      { ...closed, minProperties: 1, description: 'How long the data is kept: workers delete older data daily.' },
    ),
  ],
  { description: 'How long the data is kept: in words, or ages at which workers delete it.' },
);

export const jobSchema = Type.Object(
  {
    name: Type.Optional(
      Type.String({ pattern: NAME_PATTERN, description: 'Name of the job (default: the name of the file).' }),
    ),
    enabled: Type.Optional(
      Type.Boolean({
        description: 'Whether the job starts runs (default: true). If false, crawls of earlier runs continue.',
      }),
    ),
    cron: Type.Optional(
      Type.String({
        description: 'Cron schedule: minute, hour, day of month, month, day of week; optionally seconds first.',
      }),
    ),
    timezone: Type.Optional(Type.String({ description: 'Time zone of `cron`, such as Europe/Berlin (default: UTC).' })),
    every: Type.Optional(
      Type.Union([timeSpan('Interval between runs.'), interval], {
        description:
          'Instead of `cron`: the interval between runs, 90s, 15m, 6h or 1d, or the bounds of an interval for each target. The first run is immediate.',
      }),
    ),
    kind: Type.Optional(Type.Enum(KIND_NAMES, { description: 'The kind of the crawls.' })),
    targets: Type.Optional(
      Type.Union(
        [
          Type.Array(Type.Union([Type.String(), Type.Integer()]), {
            minItems: 1,
            description: 'A list of targets.',
          }),
          Type.Object(
            {
              file: Type.String({
                minLength: 1,
                description:
                  'A file with one target per line, read at every run; relative to the folder of the job file.',
              }),
            },
            closed,
          ),
          Type.Object(
            {
              sql: Type.String({
                minLength: 1,
                description: 'A SELECT on the database, executed at every run; its first column has the targets.',
              }),
            },
            closed,
          ),
          Type.Object(
            {
              panel: Type.String({
                pattern: NAME_PATTERN,
                description:
                  'The name of a panel (`trawl panel`), whose members are read at every run and crawled by id.',
              }),
            },
            closed,
          ),
        ],
        { description: 'The targets: a list, a file, a SELECT on the database, or a panel.' },
      ),
    ),
    recheck: Type.Optional(recheck),
    priority: Type.Optional(
      Type.Enum([...PRIORITIES], { description: 'Priority of the crawls (default: scheduled).' }),
    ),
    options: Type.Optional(options),
    budget: Type.Optional(budget),
    notify: Type.Optional(notify),
    purpose: statement('Why the data is collected. Datasets with crawls of the job state it.'),
    ethicsRef: statement('The approval of an ethics board, such as its reference number. Datasets state it.'),
    retention: Type.Optional(retention),
  },
  {
    ...closed,
    title: 'A scheduled crawl job of trawl',
    oneOf: [{ required: ['cron'] }, { required: ['every'] }],
    anyOf: [{ required: ['kind', 'targets'] }, { required: ['recheck', 'budget'] }],
  },
);

/** The content of a valid job file. */
export type JobDocument = Static<typeof jobSchema>;

const COUNTS = ['perRun', 'perDay', 'maxPages', 'depth', 'maxTargets', 'thenMaxPages'];

/** The valid values of each key, for messages. */
export const EXPECTED: Readonly<Record<string, string>> = {
  name: 'letters, digits, - and _, at most 64',
  enabled: 'true or false',
  cron: 'a pattern in quotes, such as "0 3 * * *"',
  timezone: 'a time zone such as Europe/Berlin',
  every: 'a number with a unit, such as 90s, 15m, 6h or 1d, or a map with least and greatest',
  least: 'an interval such as 15m',
  greatest: 'an interval such as 7d',
  kind: `one of ${KIND_NAMES.join(', ')}`,
  targets: 'a list, or file: with a path, sql: with a select, or panel: with a name',
  recheck: 'a map with items: tweets or users, and optionally olderThan or metricsAt, panel or includeDeleted',
  items: 'tweets or users',
  olderThan: 'an age such as 30d',
  metricsAt: 'a list of ages such as [1h, 1d, 7d]',
  includeDeleted: 'true, or left out',
  panel: 'the name of a panel: letters, digits, - and _, at most 64',
  priority: `one of ${PRIORITIES.join(', ')}`,
  options: 'a map of options',
  budget: 'a map with perRun, perDay or both',
  notify: 'a map with url, failedRuns or emptyRuns',
  purpose: 'a text of at most 1000 characters',
  ethicsRef: 'a text of at most 1000 characters',
  retention:
    'a text of at most 1000 characters, such as "until 2031-12-31", or a map with bodies, tweets (ages such as 90d) and statement',
  url: 'an address such as https://hooks.example.org/trawl, without user and password',
  failedRuns: 'a whole number from 0 up',
  emptyRuns: 'a whole number from 0 up',
  since: 'a day such as 2025-01-31, or an age such as 30d',
  fullRefresh: 'true, or left out',
  noRecheck: 'true, or left out',
  then: `a list of ${ACCOUNT_KINDS.join(', ')}`,
  ...Object.fromEntries(COUNTS.map((key) => [key, 'a whole number from 1 up'])),
};
