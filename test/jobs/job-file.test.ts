import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { DAY, MINUTE } from '#base/clock.ts';
import { parseJobFile } from '#crawl/jobs/job-file.ts';
import { type Schedule, createSlots } from '#crawl/jobs/job-schedule.ts';
import { type Job, createCrawlOptions, createJobCrawls, type JobTarget } from '#crawl/jobs/job.ts';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import { publishedSchema, SCHEMA_FILE } from '../../scripts/job-schema.ts';

/** The problems of a job file, as `line:column: message`. */
const listProblems = (text: string, name = 'file'): string[] =>
  parseJobFile(text, name).problems.map(({ line, column, message }) => `${line}:${column}: ${message}`);

describe('a job file', () => {
  it('is read with its defaults', () => {
    expect(parseJobFile('cron: "0 3 * * *"\nkind: profile\ntargets: [nasa]', 'morning').job).toEqual({
      name: 'morning',
      schedule: { cron: '0 3 * * *', timezone: 'UTC' },
      kind: 'profile',
      targets: { list: ['nasa'] },
      priority: 'scheduled',
      options: {},
    });
  });

  it('can set every key', () => {
    const text = `
name: all
every: 15m
kind: followers
targets: { sql: select screen_name from users }
priority: backfill
options: { maxPages: 3, then: [profile, timeline], depth: 2, maxTargets: 10, thenMaxPages: 1 }
notify: { url: https://hooks.example.org/x?token=1, failedRuns: 1, emptyRuns: 0 }
purpose: How news accounts announce corrections
ethicsRef: 2026-17
retention: 2031-12-31`;
    expect(parseJobFile(text, 'file').job).toMatchObject({
      name: 'all',
      schedule: { every: 15 * MINUTE },
      targets: { sql: 'select screen_name from users' },
      priority: 'backfill',
      options: { maxPages: 3, then: ['profile', 'timeline'], depth: 2, maxTargets: 10, thenMaxPages: 1 },
      notify: { url: 'https://hooks.example.org/x?token=1', failedRuns: 1, emptyRuns: 0 },
      purpose: 'How news accounts announce corrections',
      ethicsRef: '2026-17',
      retention: '2031-12-31',
    });
  });

  it('takes a retention as ages at which workers delete data, with a statement for datasets', () => {
    const read = (retention: string) =>
      parseJobFile(`every: 1d\nkind: profile\ntargets: [a]\nretention: ${retention}`, 'file').job;
    expect(read('{ bodies: 30d, tweets: 180d, statement: "as approved" }')).toMatchObject({
      retention: 'as approved; trawl deletes bodies of responses after 30d, and tweets 180d after they were written',
      retentionLimits: { bodies: '30d', tweets: '180d' },
    });
    expect(read('{ tweets: 1d }')).toMatchObject({ retentionLimits: { tweets: '1d' } });
    expect(read('{ statement: "for ever" }')).toEqual(read('for ever'));
    expect(listProblems('every: 1d\nkind: profile\ntargets: [a]\nretention: { bodies: 1 month }')).toEqual([
      '4:12: retention should be a text of at most 1000 characters, such as "until 2031-12-31", or a map with bodies, tweets (ages such as 90d) and statement; not {"bodies":"1 month"}',
    ]);
  });

  it('takes the purpose and the ethics reference as text only', () => {
    expect(listProblems('every: 1d\nkind: profile\ntargets: [a]\npurpose: ""\nethicsRef: 17\nretention: [1y]')).toEqual(
      [
        '4:10: purpose should be a text of at most 1000 characters; not ""',
        '5:12: ethicsRef should be a text of at most 1000 characters; not 17',
        '6:12: retention should be a text of at most 1000 characters, such as "until 2031-12-31", or a map with bodies, tweets (ages such as 90d) and statement; not ["1y"]',
      ],
    );
  });

  it('can be disabled; enabled is the default', () => {
    const read = (line: string): unknown => parseJobFile(`every: 1d\nkind: profile\ntargets: [a]\n${line}`, 'file').job;
    expect(read('enabled: false')).toMatchObject({ enabled: false });
    expect(read('enabled: true')).toEqual(read(''));
  });

  it('converts its options to those of a crawl', () => {
    const options = { fullRefresh: true, noRecheck: true, maxPages: 2 } as const;
    expect(createCrawlOptions({ options }, 0)).toEqual({ fullRefresh: true, recheck: false, maxPages: 2 });
  });

  it.each(['ftp://example.org/', 'https://me:secret@example.org/', 'secret', 'https://example.org/#secret'])(
    'refuses the webhook %s, and does not repeat it',
    (url) => {
      const problems = listProblems(`every: 1d\nkind: profile\ntargets: [a]\nnotify: { url: "${url}" }`);
      expect(problems).toEqual([
        '4:16: url should be an address such as https://hooks.example.org/trawl, without user and password',
      ]);
    },
  );

  it('names the keys of notify, and refuses a negative number of runs', () => {
    expect(listProblems('every: 1d\nkind: profile\ntargets: [a]\nnotify: { failedRuns: -1, after: 3 }')).toEqual([
      '4:23: failedRuns should be a whole number from 0 up; not -1',
      '4:27: unknown key "after"; there are url, failedRuns, emptyRuns',
    ]);
  });

  it('reads a target as text, so that no id loses digits', () => {
    const text = 'every: 1d\nkind: tweet\ntargets: [1790000000000000001, 0007, "12"]';
    expect(parseJobFile(text, 'file').job?.targets).toEqual({ list: ['1790000000000000001', '0007', '12'] });
  });

  it('reads the name of a panel, for kinds with accounts as targets', () => {
    const text = (kind: string, panel: string) => `every: 1d\nkind: ${kind}\ntargets: { panel: ${panel} }`;
    expect(parseJobFile(text('timeline', 'stars'), 'file').job?.targets).toEqual({ panel: 'stars' });
    expect(listProblems(text('search', 'stars'))).toEqual([
      '3:12: a panel consists of accounts, and search is not crawled by account',
    ]);
    expect(listProblems(text('timeline', '"a b"'))).toEqual([expect.stringMatching(/^3:\d+: .* should be /)]);
  });

  it('checks what is stored instead of crawling targets', () => {
    const recheck = 'every: 1d\nbudget: { perRun: 50 }\nrecheck: { items: tweets, olderThan: 90d, panel: stars }';
    expect(parseJobFile(recheck, 'file').job).toEqual({
      name: 'file',
      schedule: { every: DAY },
      kind: 'tweet',
      targets: { recheck: { items: 'tweets', olderThan: '90d', panel: 'stars' } },
      priority: 'backfill',
      options: {},
      budget: { perRun: 50 },
      // A run that finds nothing new is no reason for an alert.
      notify: { emptyRuns: 0 },
    });
    const users =
      'every: 1d\nbudget: { perRun: 3 }\nrecheck: { items: users, includeDeleted: true }\npriority: scheduled';
    expect(parseJobFile(users, 'file').job).toMatchObject({
      kind: 'profile',
      priority: 'scheduled',
      targets: {
        recheck: {
          items: 'users',
          olderThan: '30d',
          includeDeleted: true,
        },
      },
    });
  });

  it.each([
    ['recheck: { items: tweets }', /^1:1: budget is missing: a recheck needs budget: \{ perRun: … \}$/],
    ['recheck: { items: tweets }\nbudget: { perDay: 5 }', /^1:1: budget is missing/],
    ['recheck: { items: users }\nbudget: { perRun: 2 }', /^3:19: the check of an account may take 3 requests$/],
    ['recheck: { items: tweets }\nbudget: { perRun: 5 }\nkind: tweet', /^4:1: kind does not go with recheck$/],
    ['recheck: { items: likes }\nbudget: { perRun: 5 }', /^2:19: items should be tweets or users; not "likes"$/],
    [
      'recheck: { items: users, age: 3d }\nbudget: { perRun: 5 }',
      /^2:26: unknown key "age"; there are items, olderThan/,
    ],
    [
      'recheck: { items: users, metricsAt: [2d] }\nbudget: { perRun: 5 }',
      /^2:26: metricsAt goes with items: tweets only$/,
    ],
    [
      'recheck: { items: tweets, metricsAt: [2d], olderThan: 3d }\nbudget: { perRun: 5 }',
      /^2:44: both metricsAt and olderThan: a recheck has one of them$/,
    ],
    ['recheck: { olderThan: 3d }\nbudget: { perRun: 5 }', /^2:10: items is missing: tweets or users$/],
  ])('refuses %j', (text, problem) => {
    expect(listProblems(`every: 1d\n${text}`)).toEqual([expect.stringMatching(problem)]);
  });

  it('reads tweets again at fixed ages, with runs that are frequent enough', () => {
    const read = (every: string, ages: string) =>
      `every: ${every}\nbudget: { perRun: 50 }\nrecheck: { items: tweets, metricsAt: ${ages} }`;
    expect(parseJobFile(read('30m', '[1h, 1d]'), 'file').job).toMatchObject({
      targets: { recheck: { items: 'tweets', metricsAt: ['1h', '1d'] } },
    });
    expect(parseJobFile(read('30m', '[1h, 1d]'), 'file').job?.targets).not.toHaveProperty('recheck.olderThan');
    expect(listProblems(read('31m', '[1d, 1h]'))).toEqual([
      '1:8: a run every 31m misses ages of metricsAt: it needs one at least every 30 min',
    ]);
    expect(listProblems(read('30m', '[soon]'))).toEqual([
      '3:39: metricsAt should be a list of ages such as [1h, 1d, 7d]; not "soon"',
    ]);
  });

  it.each([
    ['{ least: 15m, greatest: 7d }', { every: 15 * MINUTE, greatest: 7 * DAY }, []],
    ['{ least: 15m, greatest: 29m }', undefined, ['1:32: greatest should be at least twice least']],
    ['{ least: 15m }', undefined, [expect.stringMatching(/^1:8: every should be .* least and greatest; not /)]],
    ['adaptive', undefined, [expect.stringMatching(/^1:8: every should be /)]],
  ])('reads the bounds of the intervals of its targets: %s', (every, schedule, problems) => {
    const text = `every: ${every}\nkind: timeline\ntargets: [nasa]`;
    expect(parseJobFile(text, 'file').job?.schedule).toEqual(schedule);
    expect(listProblems(text)).toEqual(problems);
  });

  it('needs one interval where nothing on a page can be new', () => {
    const every = 'every: { least: 1h, greatest: 1d }';
    expect(listProblems(`${every}\nkind: profile\ntargets: [nasa]`)).toEqual([
      '1:8: profile needs one interval, such as every: 1d',
    ]);
    expect(listProblems(`${every}\nrecheck: { items: tweets }\nbudget: { perRun: 5 }`)).toEqual([
      '1:8: recheck needs one interval, such as every: 1d',
    ]);
  });

  it('needs a kind and targets, or a recheck', () => {
    expect(listProblems('every: 1d')).toEqual([
      expect.stringMatching(/^1:1: kind is missing: one of /),
      expect.stringMatching(/^1:1: targets is missing: /),
    ]);
  });

  it('reports every error with its line and column, in order', () => {
    const text = `cron: "61 * * * *"
every: 5
timezone: Mars/Olympus
kind: tweets
targets: []
foo: 1
options:
  bar: 2
  maxPages: 0
  then: [likes]`;
    expect(listProblems(text)).toEqual([
      '1:7: "61 * * * *" is not a cron pattern: Invalid value for minute: 61',
      '2:1: both cron and every: a job has one of them',
      expect.stringMatching(/^2:8: every should be a number with a unit, .*; not 5$/),
      '3:11: "Mars/Olympus" is not a time zone such as Europe/Berlin',
      expect.stringMatching(/^4:7: kind should be one of profile, .*; not "tweets"$/),
      expect.stringMatching(/^5:10: targets should be a list, .*; it is empty$/),
      expect.stringMatching(/^6:1: unknown key "foo"; there are name, enabled, cron, /),
      expect.stringMatching(/^8:3: unknown key "bar"; there are maxPages, since, /),
      '9:13: maxPages should be a whole number from 1 up; not 0',
      expect.stringMatching(/^10:10: then should be a list of profile, .*; not "likes"$/),
    ]);
  });

  const rest = 'kind: profile\ntargets: [nasa]\n';
  const timeline = 'every: 1d\nkind: timeline\ntargets: [a]\n';
  it.each([
    ['nothing', '', '1:1: a job file is a map'],
    ['a list', '- 1', '1:1: a job file is a map'],
    ['no YAML', 'kind: [profile\nevery: 1d', '2:1: not YAML: '],
    ['an @ without quotes', 'every: 1d\nkind: profile\ntargets: [@nasa]', '3:11: not YAML: .* in quotes'],
    ['an * without quotes', `${rest}cron: * * * * *`, '3:7: not YAML: .* in quotes'],
    ['a key twice', `${rest}every: 1d\nevery: 2d`, '4:1: not YAML: '],
    ['two documents', `${rest}every: 1d\n---\n${rest}`, '4:1: not YAML: '],
    ['no schedule', rest, '1:1: cron or every is missing'],
    ['no kind and no targets', 'every: 1d', '1:1: kind is missing.*\n1:1: targets is missing'],
    ['an interval of nothing', `${rest}every: 0s`, '3:8: every should be'],
    ['a cron pattern of four fields', `${rest}cron: "0 3 * *"`, '3:7: .* is not a cron pattern: '],
    ['a day that never comes', `${rest}cron: "0 0 31 2 *"`, '3:7: .* there is no such day'],
    ['a date for a pattern', `${rest}cron: "2030-01-01T00:00:00"`, '3:7: .* it is a date'],
    ['a time zone without a pattern', `${rest}every: 1d\ntimezone: UTC`, '4:1: timezone goes with cron only'],
    ['an invalid target', 'every: 1d\nkind: profile\ntargets:\n  - a\n  - na sa', '5:5: "na sa" is not an account'],
    ['an empty target', 'every: 1d\nkind: search\ntargets: [""]', '3:11: the target of search is empty'],
    ['a forgotten target', 'every: 1d\nkind: search\ntargets:\n  - #tag', '4:3: targets should be a list'],
    ['another source of targets', 'every: 1d\nkind: search\ntargets: { url: x }', '3:10: targets should be'],
    ['options that do not apply', `${rest}every: 1d\noptions: { since: 30d }`, '4:1: since does not apply to profile'],
    [
      'a limit without a snowball',
      `${rest}every: 1d\noptions: { maxTargets: 3 }`,
      '4:1: depth, maxTargets and .* need then',
    ],
    ['a word as a day', `${timeline}options: { since: yesterday }`, '4:19: since should be a day'],
    ['a day that does not exist', `${timeline}options: { since: 2025-02-31 }`, '4:19: since should be a day'],
    [
      'unknown keys',
      `${timeline}full: true\nbudget: { full: 1 }`,
      '4:1: unknown key "full"; there are name, .*\n5:11: unknown key "full"; there are perRun, perDay',
    ],
    ['a word for enabled', `${timeline}enabled: yes`, '4:10: enabled should be true or false; not "yes"'],
    [
      'an option of the command line that does not apply',
      `${rest}every: 1d\noptions: { noRecheck: true }`,
      '4:1: noRecheck does not apply to profile',
    ],
    ['a name for no file', `${rest}every: 1d\nname: a b`, '4:7: name should be letters'],
  ])('with %s is reported', (_, text, expected) => {
    expect(listProblems(text).join('\n')).toMatch(new RegExp(`^${expected}`));
  });

  it('whose file name cannot be a job name is reported', () => {
    expect(listProblems(`${rest}every: 1d`, 'über uns')).toEqual([expect.stringMatching(/^1:1: "über uns" cannot be/)]);
    expect(listProblems(`${rest}every: 1d\nname: about`, 'über uns')).toEqual([]);
  });

  it('with any content never crashes the parser', () => {
    const scalars = fc.oneof(fc.string(), fc.integer(), fc.constantFrom(null, true, [], {}, [null], '1d', 'profile'));
    const names = 'name cron every timezone kind targets priority options __proto__ x/y~z'.split(' ');
    const files = fc.dictionary(fc.constantFrom(...names), scalars).map((content) => JSON.stringify(content));
    fc.assert(
      fc.property(fc.oneof(fc.string(), files), (text) => {
        const { job, problems } = parseJobFile(text, 'file');
        expect(job === undefined).toBe(problems.length > 0);
      }),
    );
  });
});

test('the JSON schema for editors is the one that validates files', () => {
  const published = JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')) as unknown;
  expect(published, 'renew it with: npm run jobs:schema').toEqual(publishedSchema());
});

describe('the slots of a schedule', () => {
  const patterns = [
    '0 3 * * *',
    '*/5 * * * *',
    '30 2 * * *',
    '*/7 * * * * *',
    '0 0 29 2 *',
    '0 9-17 * * 1-5',
    '@daily',
  ];
  const schedules = fc.oneof(
    fc.record({ every: fc.integer({ min: 1000, max: 3 * DAY }) }),
    fc.record({
      cron: fc.constantFrom(...patterns),
      timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'),
    }),
  );
  const times = fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2027, 0) });

  it('are the same from any time: the newest slot precedes the next one', () => {
    fc.assert(
      fc.property(schedules, times, times, (schedule: Schedule, madeAt, now) => {
        const slots = createSlots(schedule, madeAt);
        const latest = slots.findLatest(now);
        const next = slots.findNext(now)!;
        expect(next).toBeGreaterThan(now);
        expect(slots.findLatest(next)).toBe(next);
        expect(slots.findLatest(next - 1)).toBe(latest);
        if (latest === undefined) return;
        expect(latest).toBeLessThanOrEqual(now);
        expect(latest).toBeGreaterThanOrEqual(madeAt);
        expect(slots.findNext(latest)).toBe(next);
      }),
    );
  });

  it('start at once for an interval, and at the next match for a pattern', () => {
    const noon = Date.UTC(2025, 5, 1, 12);
    expect(createSlots({ every: MINUTE }, noon).findLatest(noon)).toBe(noon);
    const three = createSlots({ cron: '0 3 * * *', timezone: 'UTC' }, noon);
    expect(three.findLatest(noon)).toBeUndefined();
    expect(three.findNext(noon)).toBe(Date.UTC(2025, 5, 2, 3));
  });

  it('follow their time zone when the clock is put forward', () => {
    const slots = createSlots({ cron: '0 6 * * *', timezone: 'Europe/Berlin' }, 0);
    expect(slots.findNext(Date.UTC(2025, 2, 29, 0))).toBe(Date.UTC(2025, 2, 29, 5));
    expect(slots.findNext(Date.UTC(2025, 2, 30, 0))).toBe(Date.UTC(2025, 2, 30, 4));
  });
});

describe('a run of a job', () => {
  const job: Job = {
    name: 'j',
    schedule: { every: DAY },
    kind: 'timeline',
    targets: { list: [] },
    priority: 'scheduled',
    options: { since: '30d', maxPages: 2 },
  };
  const now = Date.UTC(2025, 5, 15, 12, 34);

  const create = (
    targets: readonly JobTarget[],
    at = now,
    unfinished: readonly CrawlSpec[] = [],
    options = job.options,
  ) => createJobCrawls({ ...job, options }, targets, at, { unfinished, accounts: new Map() });

  it('counts an age back from now to the start of that day', () => {
    const resolveSince = (since: string) =>
      (JSON.parse(create(['nasa'], now, [], { since }).specs[0]!.options) as { since: number }).since;
    expect(JSON.parse(create(['nasa']).specs[0]!.options)).toEqual({ maxPages: 2, since: Date.UTC(2025, 4, 16) });
    expect(resolveSince('6h')).toBe(now - DAY / 4);
    expect(resolveSince('2025-01-31')).toBe(Date.UTC(2025, 0, 31));
  });

  it('joins the unfinished crawl of an earlier run, even if its age is another day now', () => {
    const { specs: before } = create(['nasa', 'esa'], now - DAY);
    const { specs } = create(['nasa', 'esa'], now, [before[0]!]);
    expect(specs[0]).toEqual(before[0]);
    expect(specs[1]!.options).not.toBe(before[1]!.options);
  });

  it('crawls a member of a panel by its id, under its handle', () => {
    const { specs, problems } = create([
      { target: 'id:1', handle: 'nasa' },
      { target: 'id:2', handle: undefined },
    ]);
    expect(specs.map(({ target, handle }) => [target, handle])).toEqual([
      ['id:1', 'nasa'],
      ['id:2', undefined],
    ]);
    expect(problems).toEqual([]);
  });

  it('skips and names invalid targets and keeps the others', () => {
    const { specs, problems } = create(['nasa', 'na sa', '']);
    expect(specs.map(({ target }) => target)).toEqual(['nasa']);
    expect(problems).toEqual(['"na sa" is not an account', 'the target of timeline is empty']);
  });
});
