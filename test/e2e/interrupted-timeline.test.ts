import Database from 'better-sqlite3';
import { beforeAll, expect, test, vi } from 'vitest';
import { MINUTE } from '../../src/clock.ts';
import { type CliProcess, runCli, spawnCli } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';
import { peopleOf, type Service, serve, valueOf, withWorld } from './support.ts';

vi.setConfig({ testTimeout: 120_000 });

/** An account of 4,000 tweets, two hundred on a page: twenty pages. */
const TWEETS = 4000;
const PAGE = 200;
const BEGIN = Date.UTC(2020, 0);
const world = withWorld(20, 7);

let account = { id: '', handle: '' };

const post = (from: number, to: number): void => {
  const insert = world.db.$client.prepare(
    `insert into tweets (rest_id, author_id, text, created_at, first_seen_at, last_seen_at)
     values (?, (select id from users where rest_id = ?), 'tweet', ?, 1, 1)`,
  );
  for (let n = from; n <= to; n++) insert.run(String(100_000 + n), account.id, BEGIN + n * MINUTE);
};

beforeAll(() => {
  account = peopleOf(world, 1)[0]!;
  world.db.$client.exec('delete from tweets');
  world.db.$client.transaction(post)(1, TWEETS);
});

const stored = (db: string): number => valueOf(db, 'select count(*) from tweets');
const pagesOf = ({ asked }: Service, from = 0): number =>
  asked.slice(from).filter(({ endpoint }) => endpoint === 'user-tweets').length;

/** A run of `trawl crawl` that is killed when so many pages were answered; returns what it had stored by then. */
async function killedAfter(pages: number, service: Service, db: string, kill: { at: number; child?: CliProcess }) {
  kill.at = pages;
  kill.child = spawnCli(['crawl', 'timeline', account.handle], { env: { ...service.env, TRAWL_DB: db } });
  expect(await kill.child.exited).toBeNull();
  kill.at = 0;
}

test('a killed and restarted first crawl is complete, and a run without changes then costs one request (invariants 5 and 9)', async () => {
  const db = tempFile('mine.db');
  const kill: { at: number; child?: CliProcess } = { at: 0 };
  const service = await serve(world, {
    pageSize: PAGE,
    onAnswered: () => {
      if (kill.at > 0 && pagesOf(service) >= kill.at) kill.child?.kill('SIGKILL');
    },
  });
  const env = { ...service.env, TRAWL_DB: db };
  await killedAfter(5, service, db, kill);
  const before = stored(db);
  expect(before).toBeLessThan(TWEETS);
  await killedAfter(12, service, db, kill);

  // Tweets are posted while it is down.
  post(TWEETS + 1, TWEETS + 30);
  expect(await runCli(['crawl', 'timeline', account.handle, '-q'], { env })).toMatchObject({ code: 0 });
  const again = await runCli(['crawl', 'timeline', account.handle, '--json', '-q'], { env });
  expect(again.code).toBe(0);
  expect(JSON.parse(again.stdout)).toMatchObject({
    crawls: [
      {
        kind: 'timeline',
        target: account.handle.toLowerCase(),
        state: 'complete',
        ending: 'joined',
        pages: 1,
        newItems: 30,
        requests: 1,
      },
    ],
  });
  expect(stored(db)).toBe(TWEETS + 30);
  // Two pages a kill at most, and the one for what was new.
  expect(pagesOf(service)).toBeLessThanOrEqual(TWEETS / PAGE + 2 * 2 + 1);

  const asked = service.asked.length;
  const nothing = await runCli(['crawl', 'timeline', account.handle, '--json', '-q'], { env });
  expect(JSON.parse(nothing.stdout)).toMatchObject({ crawls: [{ state: 'complete', newItems: 0, requests: 1 }] });
  expect(service.asked.slice(asked)).toMatchObject([{ endpoint: 'user-tweets' }]);
  expect(JSON.parse((await runCli(['coverage', account.handle, '--json'], { env })).stdout)).toMatchObject({
    intervals: [{ kind: 'timeline', listEnd: 'served' }],
    gaps: [],
  });
  world.db.$client.exec(`delete from tweets where created_at > ${BEGIN + TWEETS * MINUTE}`);
});

test('an interrupted crawl leaves a gap that the next run fills without fetching covered pages except the first', async () => {
  const db = tempFile('mine.db');
  const service = await serve(world, { pageSize: PAGE });
  const env = { ...service.env, TRAWL_DB: db };
  expect(await runCli(['crawl', 'timeline', account.handle, '--max-pages', '5', '-q'], { env })).toMatchObject({
    code: 3,
  });
  expect(stored(db)).toBe(5 * PAGE);
  const asked = service.asked.length;
  expect(await runCli(['crawl', 'timeline', account.handle, '-q'], { env })).toMatchObject({ code: 0 });
  expect(stored(db)).toBe(TWEETS);
  expect(pagesOf(service, asked)).toBe(1 + (TWEETS - 5 * PAGE) / PAGE);
});

/** How other tools decide where an incremental run stops. Each keeps a page before it asks for the next one. */
const RIVALS: Readonly<Record<string, (known: Database.Database) => (id: string) => boolean>> = {
  // twitter-to-sqlite --since, twarc, SFM: nothing older than the newest that is stored.
  'the newest id that is stored': (known) => {
    const newest = known.prepare('select max(cast(id as int)) from tweets').pluck().get() as number | null;
    return (id) => newest !== null && Number(id) <= newest;
  },
  // gallery-dl's skip: abort:5, hydrus: some in a row that are stored.
  'five in a row that are stored': (known) => {
    const find = known.prepare('select 1 from tweets where id = ?');
    let inARow = 0;
    return (id) => (inARow = find.get(id) ? inARow + 1 : 0) >= 5;
  },
};

/** Walks the timeline until the rule says stop, or so many pages were kept. */
async function rival(rule: keyof typeof RIVALS, { url, key }: Service, db: Database.Database, most = Infinity) {
  db.exec('create table if not exists tweets (id text primary key)');
  const isTheEnd = RIVALS[rule]!(db);
  const keep = db.prepare('insert or ignore into tweets values (?)');
  let cursor: string | undefined;
  for (let pages = 0; pages < most; pages++) {
    const query = new URLSearchParams({ restId: account.id, ...(cursor === undefined ? {} : { cursor }) });
    const answer = await fetch(`${url}/api/microblog/user-tweets?${query.toString()}`, {
      headers: { 'x-api-key': key },
    });
    const { data } = (await answer.json()) as {
      data: { timeline: { instructions: { entries: { content: { tweet?: { id: string }; value?: string } }[] }[] } };
    };
    const entries = data.timeline.instructions.flatMap((each) => each.entries);
    const ids = entries.flatMap(({ content }) => content.tweet?.id ?? []);
    const stop = ids.some((id) => isTheEnd(id));
    for (const id of ids) keep.run(id);
    cursor = entries.flatMap(({ content }) => content.value ?? []).at(-1);
    if (stop || cursor === undefined) return;
  }
}

test.each(Object.keys(RIVALS))(
  'on the same timeline, a tool that stops at %s never fetches 3,000 of 4,000 tweets after one interruption',
  async (rule) => {
    const service = await serve(world, { pageSize: PAGE });
    const db = new Database(tempFile('rival.db'));
    await rival(rule, service, db, 5);
    await rival(rule, service, db);
    await rival(rule, service, db);
    expect(TWEETS - (db.prepare('select count(*) from tweets').pluck().get() as number)).toBe(3000);
    db.close();
  },
);
