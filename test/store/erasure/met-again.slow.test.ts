import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { recordErasure } from '#store/erasure/tombstones.ts';
import type { MentionsPolicy } from '#store/erasure/tombstones.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { rowsOf, serve, type Service, valueOf, withWorld } from '../../e2e/support.ts';
import { runCli } from '../../support/cli.ts';
import { createStoreFile } from '../../support/store-file.ts';
import { tempFile } from '../../support/temp.ts';
import { scanFolder } from './scan.ts';

/** A musician whom many follow, mention, answer and repeat. */
const PERSON = 'sidetwo';
const NEW_HANDLE = 'SideTwo_live';
/** Another account, which gets the handle in the end. */
const HEIR = 'explain_plan';

const world = withWorld(120, 7);
const one = <T = string>(sql: string): T => world.db.$client.prepare<[], T>(sql).pluck().get()!;
const many = (sql: string): string[] => world.db.$client.prepare<[], string>(sql).pluck().all();
const own = `(select id from users where screen_name in ('${PERSON}', '${NEW_HANDLE}'))`;

/** A store that has only forgotten them, and the service, which has them still. */
async function forget(mentions: MentionsPolicy): Promise<Service> {
  const db = createStoreFile(tempFile('mine.db'));
  {
    using store = openDatabase(db);
    recordErasure(
      store,
      { restIds: [one(`select rest_id from users where id = ${own}`)], handles: [PERSON] },
      { erasedAt: 1, mentions },
    );
  }
  const service = await serve(world, { pageSize: { 'user-tweets': 10, followers: 20 } });
  return { ...service, db, env: { ...service.env, TRAWL_DB: db } };
}

const run = ({ env }: Service, ...args: string[]) => runCli([...args, '--quiet'], { env });

/** Runs a crawl that meets them. Returns the state and the reason of its first crawl. */
async function crawl(service: Service, ...args: string[]) {
  const before = valueOf<number>(service.db, 'select coalesce(max(id), 0) from crawls');
  await run(service, 'crawl', ...args, '--yes');
  return rowsOf(
    service.db,
    `select state, reason, erased_items > 0 as met from crawls where id > ${before} order by id limit 1`,
  )[0];
}

beforeAll(() => {
  const { $client } = world.db;
  $client.exec(`insert or ignore into community_tweets (community_id, tweet_id, first_seen_at)
      select 1, id, 1 from tweets where author_id = ${own} order by created_at desc limit 5;
    insert or ignore into list_tweets (list_id, tweet_id, first_seen_at)
      select 1, id, 1 from tweets where author_id = ${own} order by created_at desc limit 5`);
});

/** What identifies them. Others may repeat their texts, without their handle. */
const readTraces = (): string[] => [
  one(`select rest_id from users where id = ${own}`),
  ...many(`select text from tweets t where author_id = ${own} and length(text) >= 20 and not exists (
    select 1 from tweets o where o.author_id <> ${own} and instr(o.text, t.text) > 0 and o.text not like 'RT @${PERSON}:%')`),
  PERSON,
  NEW_HANDLE,
];

describe('a forgotten person', () => {
  // incoming.test.ts stores random pages with both policies.
  test('is met again by every kind of crawl, and not stored', { timeout: 300_000 }, async () => {
    const traces = readTraces();
    expect(traces.length).toBeGreaterThan(20);
    const service = await forget('redact');
    const crawlOf = (...args: string[]) => crawl(service, ...args);
    const followed = one(
      `select u.screen_name from follows f join users u on u.id = f.followee_id where f.follower_id = ${own} limit 1`,
    );
    const follower = one(
      `select u.screen_name from follows f join users u on u.id = f.follower_id where f.followee_id = ${own} limit 1`,
    );
    expect(await crawlOf('followers', followed)).toMatchObject({ state: 'complete', met: 1 });
    const leftOut = 'Left out: 1 item of forgotten accounts.\n';
    expect((await runCli('crawls show 1', service)).stdout).toContain(leftOut);
    expect((await run(service, 'crawl', 'followers', followed, '--yes')).stdout).toContain(`\n${leftOut}`);
    expect(await crawlOf('following', follower)).toMatchObject({ state: 'complete', met: 1 });
    expect(await crawlOf('community', one('select rest_id from communities where id = 1'))).toMatchObject({
      state: 'capped',
      met: 1,
    });
    expect(await crawlOf('list', one('select rest_id from lists where id = 1'))).toMatchObject({
      state: 'capped',
      met: 1,
    });
    expect(
      await crawlOf(
        'search',
        one(
          `select '#' || tag from tweet_hashtags h join tweets t on t.id = h.tweet_id where t.author_id = ${own} limit 1`,
        ),
      ),
    ).toMatchObject({ state: 'capped', met: 1 });
    const answered = one(`select p.rest_id from tweets r join tweets p on p.rest_id = r.in_reply_to_status_rest_id
      where r.author_id = ${own} and p.author_id <> ${own} limit 1`);
    expect(await crawlOf('tweet', answered)).toMatchObject({ state: 'capped', met: 1 });
    const answering = one(`select u.screen_name from tweets t join users u on u.id = t.author_id
      where t.in_reply_to_user_rest_id = (select rest_id from users where id = ${own}) and u.id <> ${own} limit 1`);
    expect(await crawlOf('replies', answering)).toMatchObject({ state: 'capped' });
    const mentioning = one(`select u.screen_name from tweet_mentions m join tweets t on t.id = m.tweet_id
      join users u on u.id = t.author_id where m.screen_name = '${PERSON}' and u.id <> ${own}
      and t.in_reply_to_status_rest_id is null limit 1`);
    expect(await crawlOf('timeline', mentioning)).toMatchObject({ state: 'complete' });
    expect(
      valueOf(service.db, 'select count(*) from tweets where in_reply_to_screen_name = ?', '(forgotten)'),
    ).toBeGreaterThan(0);
    // A snowball goes on with everybody else.
    await crawlOf('followers', followed, '--then', 'profile,timeline', '--then-max-pages', '1', '--max-targets', '30');
    const children = valueOf(service.db, 'select count(*) from crawls where parent_id is not null');
    expect(children).toBeGreaterThan(20);
    // A crawl of their tweet ends with the response.
    expect(await crawlOf('tweet', one(`select rest_id from tweets where author_id = ${own} limit 1`))).toEqual({
      state: 'cancelled',
      reason: 'erased',
      met: 0,
    });
    // Nobody has asked for them yet.
    const id = traces[0]!;
    const isAbout = ({ parameters }: Service['asked'][number]): boolean =>
      Object.values(parameters).some((value) => value === id || value.toLowerCase().includes(PERSON));
    expect(service.asked.filter(isAbout)).toEqual([]);
    // Under a new handle, one request shows who it is; the next crawl of it sends none.
    world.db.$client.exec(`update users set screen_name = '${NEW_HANDLE}' where id = ${own}`);
    try {
      expect(await crawlOf('timeline', NEW_HANDLE)).toEqual({ state: 'cancelled', reason: 'erased', met: 0 });
      const asked = service.asked.length;
      expect(service.asked.filter(isAbout)).toHaveLength(1);
      for (const kind of ['profile', 'timeline', 'replies', 'followers', 'following'])
        expect(await run(service, 'crawl', kind, NEW_HANDLE)).toMatchObject({ code: 3 });
      expect(service.asked).toHaveLength(asked);
    } finally {
      world.db.$client.exec(`update users set screen_name = '${PERSON}' where id = ${own}`);
    }
    expect(scanFolder(service.db, traces)).toEqual([]);
    expect(valueOf(service.db, 'select count(*) from rejects')).toBe(0);
    expect(valueOf(service.db, "select count(*) from _steps where withheld = 'erased'")).toBeGreaterThan(5);
    expect(
      valueOf(service.db, 'select count(*) from _steps where withheld is null and first_raw_page_id is not null'),
    ).toBeGreaterThan(10);
  });
});

describe('commands that name a forgotten account', () => {
  test('say so with a count, change nothing and send no request', { timeout: 120_000 }, async () => {
    const service = await forget('keep');
    const { db } = service;
    const id = `id:${one(`select rest_id from users where id = ${own}`)}`;
    const skipped = /1 target is a forgotten account and is not crawled\. If another account has the handle now/;
    for (const command of ['crawl', 'enqueue', 'plan']) {
      for (const target of [PERSON, `@${PERSON.toUpperCase()}`, id]) {
        const { code, stderr } = await run(service, command, 'timeline', target);
        expect([command, code, stderr]).toEqual([command, 3, expect.stringMatching(skipped)]);
      }
      for (const query of [`from:${PERSON}`, `rain @${PERSON}`])
        expect(await run(service, command, 'search', query)).toMatchObject({ code: 3 });
    }
    const folder = dirname(tempFile('targets.txt'));
    const list = join(folder, 'targets.txt');
    writeFileSync(list, `${PERSON}\n${HEIR}\n${id}\n`);
    const queued = await run(service, 'enqueue', 'followers', '--from-file', list, '--yes');
    expect(queued).toMatchObject({ code: 3, stderr: expect.stringContaining('2 targets are forgotten accounts') });
    expect(rowsOf(db, 'select target from crawls')).toEqual([{ target: HEIR }]);

    await runCli(['panel', 'create', 'stage'], { env: service.env });
    writeFileSync(join(folder, 'panel.csv'), `handle\n${PERSON}\n`);
    for (const args of [
      ['panel', 'add', 'stage', PERSON],
      ['panel', 'add', 'stage', id, '--crawl', '--yes'],
      ['panel', 'import', 'stage', join(folder, 'panel.csv')],
      ['backfill', 'timeline', PERSON, '--since', '2025-01-01'],
      ['backfill', 'search', `from:${PERSON}`, '--since', '2025-01-01'],
    ])
      expect([args, await run(service, ...args)]).toMatchObject([
        args,
        { code: 2, stderr: expect.stringContaining('forgotten account') },
      ]);
    const jobs = join(folder, 'jobs');
    mkdirSync(jobs);
    writeFileSync(join(jobs, 'press.yaml'), `every: 1d\nkind: timeline\ntargets: [${HEIR}, ${PERSON}]\n`);
    const sync = await runCli(['schedule', 'sync', jobs], { env: service.env });
    expect(sync).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/press\.yaml:3.*1 target is a forgotten account/),
    });
    expect(service.asked).toEqual([]);
    expect(scanFolder(db, [PERSON, id.slice(3)])).toEqual([]);
  });

  test('crawl another account that has the handle now', { timeout: 120_000 }, async () => {
    const service = await forget('redact');
    const { db } = service;
    const heir = one(`select rest_id from users where screen_name = '${HEIR}'`);
    const { $client } = world.db;
    $client.exec(`update users set screen_name = '${NEW_HANDLE}' where id = ${own};
      update users set screen_name = '${PERSON}' where rest_id = '${heir}'`);
    try {
      expect(await run(service, 'crawl', 'profile', PERSON)).toMatchObject({ code: 3 });
      expect(service.asked).toEqual([]);
      expect(await crawl(service, 'timeline', `id:${heir}`)).toMatchObject({ state: 'complete' });
      expect(await crawl(service, 'profile', PERSON)).toMatchObject({ state: 'complete' });
      expect(
        rowsOf(db, `select rest_id, statuses_count > 0 as seen from users where screen_name = '${PERSON}'`),
      ).toEqual([{ rest_id: heir, seen: 1 }]);
      expect(valueOf(db, 'select count(*) from tweets')).toBeGreaterThan(0);
      expect(valueOf(db, "select count(*) from raw_pages where endpoint = 'user-profile'")).toBe(1);
    } finally {
      $client.exec(`update users set screen_name = '${HEIR}' where rest_id = '${heir}';
        update users set screen_name = '${PERSON}' where screen_name = '${NEW_HANDLE}'`);
    }
  });
});
