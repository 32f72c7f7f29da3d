import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { loadFaultPlan } from '#twin/faults/fault-plan-file.ts';
import type { FaultPlan } from '#twin/faults/fault-table.ts';
import { runCli, runJson } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';
import { peopleOf, rowsOf, serve, valueOf, withWorld, writeTargets } from './support.ts';

/** Crawls through a service that makes faults by plan, against the store that it serves from. */

const USERS = 25;
const world = withWorld(USERS, 5);
const PAGES = { 'user-tweets': 7, followers: 5, following: 5 };
const NASTY = resolve(import.meta.dirname, '../../faults/nasty.yaml');

/** What a crawl of all profiles, timelines and lists stores, with the ids of the service. */
const SETS: Readonly<Record<string, string>> = {
  profiles: `select rest_id, screen_name, name, description, location, followers_count, following_count, statuses_count,
    created_at from users where rest_id in (select rest_id from users where profile_at is not null) order by 1`,
  tweets: `select t.rest_id, a.rest_id, text, t.created_at, favorite_count, retweet_count, reply_count, quote_count
    from tweets t join users a on a.id = t.author_id where in_reply_to_status_rest_id is null order by 1`,
  edges: `select a.rest_id, b.rest_id as other from follows f join users a on a.id = f.follower_id
    join users b on b.id = f.followee_id order by 1, 2`,
};
const rowsIn = (file: string) =>
  Object.fromEntries(Object.entries(SETS).map(([name, sql]) => [name, rowsOf(file, sql)]));

/** Crawls all accounts, kind by kind, from a service with this plan of faults. */
async function crawlThrough(plan: FaultPlan, seed: number, kinds: readonly string[]) {
  const service = await serve(world, { pageSize: PAGES, faults: { plan, seed } });
  const { db: file, env } = service;
  const targets = writeTargets(peopleOf(world, USERS).map(({ handle }) => handle));
  const codes: Record<string, number | null> = {};
  for (const kind of kinds) {
    codes[kind] = (await runCli(['crawl', kind, '--from-file', targets, '--quiet'], { env })).code;
  }
  return { file, service, codes };
}

test('a crawl under all harmless faults ends with the rows of the store, complete or with an inferred end', async () => {
  const kinds = ['profile', 'timeline', 'followers'];
  const { file, service, codes } = await crawlThrough(loadFaultPlan(NASTY), 7, kinds);
  const others = rowsOf(
    file,
    `select kind, target, state, reason, error from crawls where state <> 'complete' and (state, ending) <> ('capped', 'inferred')`,
  );
  expect(others).toEqual([]);
  expect(codes).toEqual({ profile: 0, timeline: 0, followers: 0 });
  expect(rowsIn(file)).toEqual(rowsIn(world.file));
  const failed = service.asked.filter(({ status }) => status !== 200);
  expect(failed.length).toBeGreaterThan(0);
});

test('items without identity make a crawl partial, are rejected, and nothing else is lost', async () => {
  // One of the two ids would be enough.
  const plan: FaultPlan = ['rest_id', 'id'].map((field) => ({
    fault: 'missing-fields',
    endpoints: ['followers'],
    fields: [field],
    every: 2,
    share: 1,
  }));
  const { file, codes } = await crawlThrough(plan, 3, ['followers']);
  expect(codes).toEqual({ followers: 3 });
  const partial = rowsOf(file, `select distinct state, reason from crawls where state <> 'complete'`);
  expect(partial).toEqual([{ state: 'partial', reason: 'rejected_items' }]);
  const rejects = valueOf(file, 'select count(*) from rejects');
  expect(rejects).toBeGreaterThan(3);
  expect(valueOf(file, 'select count(*) from follows')).toBe(
    valueOf(world.file, 'select count(*) from follows') - rejects,
  );
  const served = new Set(rowsIn(world.file)['edges']!.map((row) => JSON.stringify(row)));
  expect(rowsIn(file)['edges']!.filter((row) => !served.has(JSON.stringify(row)))).toEqual([]);
});

test('the summary of a crawl and its JSON name unreadable fields', async () => {
  const plan: FaultPlan = [{ fault: 'wrong-types', endpoints: ['user-profile'], fields: ['followers'], share: 1 }];
  const { env } = await serve(world, { faults: { plan, seed: 1 } });
  const asked = ['crawl', 'profile', peopleOf(world, 1)[0]!.handle];
  const { code, stdout } = await runCli(asked, { env: { ...env, TRAWL_DB: tempFile('a.db') } });
  expect(code).toBe(0);
  expect(stdout).toContain('1 unreadable field left out of the rows: profile.followers (1 value)');
  expect(await runJson(asked, { env: { ...env, TRAWL_DB: tempFile('b.db') } })).toMatchObject({
    droppedFields: [{ endpoint: 'user-profile', field: 'profile.followers', values: 1 }],
  });
});
