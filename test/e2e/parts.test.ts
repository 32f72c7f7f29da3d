import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { failure, runCli, runSuccessfully } from '../support/cli.ts';
import { tempDir, tempFile } from '../support/temp.ts';
import { peopleOf, rowsOf, serve, withWorld, writeTargets } from './support.ts';

const world = withWorld(80, 7);
const HOSTS = [1, 2, 3];

const targetsIn = (db: string): string[] =>
  rowsOf<{ target: string }>(db, 'select target from crawls where parent_id is null order by 1').map(
    ({ target }) => target,
  );

test('three hosts with one list crawl every target once, by commands and by jobs', async () => {
  const people = peopleOf(world, 30);
  const [byHandle, byId] = [people.slice(0, 20), people.slice(20)];
  const names = [...byHandle.map(({ handle }) => handle), ...byId.map(({ id }) => `id:${id}`)];
  const all = [...byHandle.map(({ handle }) => handle.toLowerCase()), ...byId.map(({ id }) => `id:${id}`)].toSorted();
  // Each host gets the list in a spelling of its own.
  const lists = [
    names,
    names.map((name) => name.replace(/^(?!id:)/, '@')),
    names.map((name) => (name.startsWith('id:') ? name : name.toUpperCase())),
  ];
  const service = await serve(world);
  const { env } = service;

  const hosts = await Promise.all(
    HOSTS.map(async (host) => {
      const db = tempFile(`host-${host}.db`);
      const part = ['--part', `${host}/${HOSTS.length}`];
      const on = { env: { ...env, TRAWL_DB: db } };
      await runSuccessfully(['enqueue', 'profile', '--from-file', writeTargets(lists[host - 1]!), ...part], on);
      await runSuccessfully(['work', '--exit-when-idle'], on);

      // The first run of a job, beside that.
      const [jobs, ofJobs] = [join(tempDir(), 'jobs'), tempFile('jobs.db')];
      mkdirSync(jobs);
      const list = lists[host - 1]!.map((name) => JSON.stringify(name)).join(', ');
      writeFileSync(join(jobs, 'all.yaml'), `every: 1d\nkind: profile\npart: ${host}/3\ntargets: [${list}]\n`);
      await runSuccessfully(['work', '--jobs', jobs, '--exit-when-idle'], { env: { ...env, TRAWL_DB: ofJobs } });
      return { byCommand: targetsIn(db), byJob: targetsIn(ofJobs) };
    }),
  );
  expect(hosts.flatMap(({ byCommand }) => byCommand).toSorted()).toEqual(all);
  for (const { byCommand, byJob } of hosts) expect(byJob).toEqual(byCommand);

  // A host without any of the targets has nothing to do.
  const [first] = all;
  const codes = await Promise.all(
    HOSTS.map(async (host) => {
      const args = ['enqueue', 'profile', first!, '--part', `${host}/3`, '--db', tempFile('one.db')];
      const { code, stdout, stderr } = await runCli(args);
      return { code, isQueued: stdout !== '', isElsewhere: stderr.includes('all targets are in other parts') };
    }),
  );
  expect(codes.filter(({ isQueued }) => isQueued)).toHaveLength(1);
  for (const { code, isQueued, isElsewhere } of codes)
    expect({ code, isElsewhere }).toEqual({ code: 0, isElsewhere: !isQueued });
  expect(await runCli(['crawl', 'profile', first!, '--part', '4/3'], { env })).toEqual(
    failure(2, 'It must be a part such as 2/3'),
  );
});
