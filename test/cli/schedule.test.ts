import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { rowsOf } from '../e2e/support.ts';
import { runCli, failure } from '../support/cli.ts';
import { withRedis } from '../support/redis.ts';
import { tempDir } from '../support/temp.ts';

/** A working directory with job files. */
function folderWith(files: Readonly<Record<string, string>>) {
  const cwd = tempDir();
  mkdirSync(join(cwd, 'jobs'));
  const write = (name: string, text: string) => writeFileSync(join(cwd, 'jobs', name), text);
  for (const [name, text] of Object.entries(files)) write(name, text);
  const trawl = async (...args: string[]) => {
    const result = await runCli(args, { cwd });
    return { ...result, stderr: result.stderr.replaceAll(`${cwd}/`, '') };
  };
  return { cwd, write, trawl, remove: (name: string) => rmSync(join(cwd, 'jobs', name)) };
}

const DAILY = 'cron: "0 3 * * *"\nkind: profile\ntargets: [nasa, esa]\n';

test('trawl schedule sync lists changes and says that a worker has to run', async () => {
  const { write, remove, trawl } = folderWith({ 'a.yaml': DAILY, 'b.yml': 'every: 6h\nkind: search\ntargets: [x]\n' });
  const first = await trawl('schedule sync');
  expect(first).toMatchObject({ code: 0, stdout: 'added   a\nadded   b\n' });
  expect(first.stderr).toMatch(/^no worker is running: `trawl work` starts the runs; /);
  expect(await trawl('schedule sync')).toMatchObject({ code: 0, stdout: 'no changes: 2 jobs scheduled\n' });
  write('a.yaml', DAILY.replace('esa', 'jaxa'));
  remove('b.yml');
  const { stdout } = await trawl('schedule sync jobs --json');
  expect(JSON.parse(stdout)).toEqual({
    changes: [
      { name: 'a', change: 'changed' },
      { name: 'b', change: 'removed' },
    ],
  });
});

test('trawl schedule sync writes the schedule to the Redis of REDIS_URL and queues due jobs', async () => {
  const { cwd } = folderWith({ 'a.yaml': DAILY, 'b.yaml': 'every: 6h\nkind: search\ntargets: ["#x"]\n' });
  const redis = await withRedis();
  const env = { REDIS_URL: `unix://${redis.connection.path}` };
  expect(await runCli('schedule sync', { cwd, env })).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^no worker is running: .*\n$/),
  });
  const schedulers = await redis.connect().keys('*:schedule:repeat:?');
  expect(schedulers.map((key) => key.slice(-1)).toSorted()).toEqual(['a', 'b']);
  expect(rowsOf(join(cwd, 'trawl.db'), 'select kind, target, priority from crawls')).toEqual([
    { kind: 'search', target: '#x', priority: 'scheduled' },
  ]);
});

test('trawl schedule list shows every job with its next runs', async () => {
  const { cwd, trawl } = folderWith({
    'a.yaml': DAILY.replace('cron', 'timezone: Europe/Berlin\ncron'),
    'b.yaml': 'every: 15m\nkind: profile\ntargets: { sql: select rest_id from users }\n',
    'c.yaml': 'every: 1d\nkind: search\ntargets: { file: words.txt }\n',
    'words.txt': 'x\n',
  });
  await trawl('schedule sync');
  const { stdout } = await trawl('schedule list');
  expect(stdout).toMatch(/^name +runs +kind +targets +next +then +last run +last success *\n/);
  expect(stdout).toMatch(
    /\na +0 3 \* \* \* Europe\/Berlin +profile +nasa and 1 more +\d{4}-\d\d-\d\d \d\d:00Z .* never\n/,
  );
  expect(stdout).toMatch(/\nb +every 15 min +profile +select rest_id from users +due since \d{4}-.*Z +never\n/);
  const { jobs } = JSON.parse((await trawl('schedule list --json')).stdout) as { jobs: unknown[] };
  const times = [1, 2, 3].map(() => expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string);
  expect(jobs).toEqual([
    expect.objectContaining({
      name: 'a',
      cron: '0 3 * * *',
      timezone: 'Europe/Berlin',
      kind: 'profile',
      nextRuns: times,
    }),
    expect.objectContaining({
      name: 'b',
      every: 900_000,
      targets: { sql: 'select rest_id from users' },
      nextRuns: times,
    }),
    expect.objectContaining({ name: 'c', targets: { file: join(cwd, 'jobs', 'words.txt') }, history: [] }),
  ]);
});

test('a disabled job is listed and queues nothing until it is enabled', async () => {
  const { cwd, write, trawl } = folderWith({ 'a.yaml': DAILY });
  const JOB = 'every: 6h\nkind: search\ntargets: ["#x"]\n';
  write('b.yaml', `${JOB}enabled: false\n`);
  const env = { REDIS_URL: `unix://${(await withRedis()).connection.path}` };
  const sync = async () => (await runCli('schedule sync', { cwd, env })).stdout;
  const crawls = () => rowsOf(join(cwd, 'trawl.db'), 'select target from crawls');
  expect(await sync()).toBe('added   a\nadded   b (disabled)\n');
  expect(await sync()).toBe('no changes: 2 jobs scheduled, 1 disabled\n');
  expect(crawls()).toEqual([]);
  const { stdout } = await trawl('schedule list');
  expect(stdout).toMatch(/\nb +every 6 h +search +#x +disabled +never\n/);
  const list = async () => JSON.parse((await trawl('schedule list --json')).stdout) as { jobs: unknown[] };
  expect(await list()).toMatchObject({ jobs: [{ enabled: true }, { name: 'b', enabled: false, nextRuns: [] }] });
  write('b.yaml', JOB);
  expect(await sync()).toBe('changed b\n');
  expect(crawls()).toEqual([{ target: '#x' }]);
  write('b.yaml', `${JOB}enabled: false\n`);
  expect(await sync()).toBe('changed b (disabled)\n');
  const schedulers = await runCli('schedule list --json', { cwd });
  expect(JSON.parse(schedulers.stdout)).toMatchObject({ jobs: [{ nextRuns: { length: 3 } }, { nextRuns: [] }] });
});

test('trawl schedule list shows no secret of a webhook', async () => {
  const notify = 'notify: { url: "https://hooks.example.org/secret?token=secret", failedRuns: 2 }\n';
  const { trawl } = folderWith({ 'a.yaml': DAILY + notify });
  const printed = [await trawl('schedule sync'), await trawl('schedule list --json')];
  expect(JSON.parse(printed[1]!.stdout)).toMatchObject({
    jobs: [{ notify: { url: 'https://hooks.example.org', failedRuns: 2 } }],
  });
  expect(JSON.stringify(printed)).not.toContain('secret');
});

test('trawl schedule list shows a job whose only target is forgotten', async () => {
  const { trawl } = folderWith({
    'a.yaml': 'every: 6h\nkind: profile\ntargets: [nasa]\n',
    'b.yaml': 'every: 6h\nkind: search\ntargets: [nasa]\n',
  });
  await trawl('schedule sync');
  expect(await trawl('forget nasa --yes --quiet')).toMatchObject({ code: 0 });
  const { code, stdout, stderr } = await trawl('schedule list');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/\na +every 6 h +profile +none +due since /);
  // A word that is searched for is no account.
  expect(stdout).toMatch(/\nb +every 6 h +search +nasa +due since /);
});

test('trawl schedule list without a schedule says how to make one', async () => {
  const { trawl } = folderWith({});
  expect(await trawl('schedule sync')).toMatchObject({ code: 0, stdout: 'no scheduled jobs\n', stderr: '' });
  expect(await trawl('schedule list')).toMatchObject({
    code: 0,
    stderr: 'no scheduled jobs: `trawl schedule sync` adds job files\n',
  });
});

test('trawl schedule sync reports all errors of all files and changes nothing', async () => {
  const { write, trawl } = folderWith({ 'fine.yaml': DAILY });
  await trawl('schedule sync');
  write('fine.yaml', DAILY.replace('0 3', '0 4'));
  write('not-yaml.yaml', 'kind: [profile\nevery: 1d\n');
  write('kind.yaml', 'every: 1d\nkind: tweets\ntargets: []\n');
  write('same-name.yaml', `name: fine\n${DAILY}`);
  write('gone.yaml', 'every: 1d\nkind: profile\ntargets:\n  file: nowhere.txt\n');
  write('wrong-sql.yaml', 'every: 1d\nkind: profile\ntargets:\n  sql: select x from nowhere\n');
  write('writes.yaml', 'every: 1d\nkind: profile\ntargets:\n  sql: delete from users returning id\n');
  const { code, stdout, stderr } = await trawl('schedule sync');
  expect(code).toBe(2);
  expect(stdout).toBe('');
  expect(stderr.split('\n')).toEqual([
    'trawl: 7 errors in job files',
    expect.stringMatching(
      /^ {2}jobs\/gone\.yaml:4:9: cannot read the targets in .*nowhere\.txt: no such file or directory/,
    ),
    expect.stringMatching(/^ {2}jobs\/kind\.yaml:2:7: kind should be one of profile, .*; not "tweets"$/),
    expect.stringMatching(/^ {2}jobs\/kind\.yaml:3:10: targets should be a list, .*; it is empty$/),
    expect.stringMatching(/^ {2}jobs\/not-yaml\.yaml:2:1: not YAML: /),
    '  jobs/same-name.yaml:1:7: the name "fine" is already used by jobs/fine.yaml',
    expect.stringMatching(/^ {2}jobs\/writes\.yaml:4:8: only read-only statements, such as select, are run/),
    expect.stringMatching(/^ {2}jobs\/wrong-sql\.yaml:4:8: no such table: nowhere; `trawl sql /),
    '',
  ]);
  const { jobs } = JSON.parse((await trawl('schedule list --json')).stdout) as { jobs: unknown[] };
  expect(jobs).toEqual([expect.objectContaining({ cron: '0 3 * * *' })]);
});

test('a missing directory, and errors of the job files of a worker, are reported', async () => {
  const { trawl } = folderWith({ 'kind.yaml': 'every: 1d\nkind: tweets\ntargets: [a]\n' });
  expect(await trawl('schedule sync elsewhere')).toMatchObject(failure(2, 'there is no folder elsewhere'));
  expect(await trawl('work --jobs jobs')).toMatchObject(failure(2, 'jobs/kind.yaml:2:7: kind should be one of '));
});

test('the examples in jobs/ are valid and disabled', async () => {
  const examples = resolve(import.meta.dirname, '../../jobs');
  expect(await runCli(['schedule sync', examples])).toMatchObject({
    code: 0,
    stdout: ['followers', 'panel-timelines', 'recheck-tweets', 'searches', 'stale-profiles', 'timelines']
      .map((name) => `added   ${name} (disabled)\n`)
      .join(''),
    stderr: expect.stringMatching(/^all jobs are disabled: /),
  });
});
