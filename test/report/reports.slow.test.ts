import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReportSidecar } from '#files/report/write-report.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { checkAppearances, openFile, startBrowser } from '../support/browser.ts';
import { runJson, runSuccessfully } from '../support/cli.ts';
import { PYTHON } from '../support/programs.ts';
import { createTempDir } from '../support/temp.ts';
import { type ObservedWorld, observeWorld } from './observed-world.ts';
import { readPage, rowsOf, type ShownPage, toNumber } from './read-page.ts';

/** Reports in a browser, as their readers see them. */

const folder = createTempDir();
let world: ObservedWorld;
let browser: Browser | undefined;

beforeAll(async () => {
  world = await observeWorld({ folder: folder.path, users: 150, weeks: 3 });
  makeHostile(world.db);
  browser = await startBrowser();
}, 240_000);
afterAll(async () => {
  await browser?.close();
  folder[Symbol.dispose]();
});

const HOSTILE = `<script>document.title = "owned"</script><img src=https://example.org/x onerror=alert(1)>"'&lt; \u202egnp.exe\u0000\u0007`;

/** Gives an account texts that try to leave their place. */
function makeHostile(db: string): void {
  using connection = openDatabase(db);
  connection.$client
    .prepare(`update users set name = ?, description = ?, location = ?, url = ? where screen_name = 'MatchdayLive'`)
    .run(
      `${HOSTILE} مرحبا`,
      `${'w'.repeat(400)} ${HOSTILE}`,
      '\u202e\u2066'.repeat(20),
      `javascript:alert(1)//${HOSTILE}`,
    );
  connection.$client
    .prepare(
      `update tweets set text = ?, favorite_count = 1000000 where id in
        (select t.id from tweets t join users u on u.id = t.author_id where u.screen_name = 'MatchdayLive' limit 3)`,
    )
    .run(`${HOSTILE}${'\n'.repeat(200)}${'a\u0301\u0301\u0301\u0301'.repeat(20)}${'👩‍👩‍👧‍👦'.repeat(300)}`);
}

const fileOf = (subject: string, target: string): string =>
  join(folder.path, `${subject}-${target.replaceAll(/\W/g, '')}.html`);

/** Writes a report, and returns its file. */
async function writeReport(subject: string, target: string, ...args: string[]): Promise<string> {
  const file = fileOf(subject, target);
  await runSuccessfully(['report', subject, target, '-o', file, '--db', world.db, ...args], { cwd: folder.path });
  return file;
}

type Report = readonly [name: string, subject: string, target: (world: ObservedWorld) => string];

/** Reports with all kinds of sections and texts. */
const REPORTS: readonly Report[] = [
  ['a complete account', 'account', ({ accounts }) => accounts.complete],
  ['an account with gaps and hostile texts', 'account', ({ accounts }) => accounts.gaps],
  ['a search', 'search', ({ search }) => search],
  ['a job', 'job', ({ job }) => job],
];

/** Those, and reports that lack sections. */
const SHOWN_REPORTS: readonly Report[] = [
  ...REPORTS,
  ['an account that is gone', 'account', ({ accounts }) => accounts.gone],
  ['an account that was never crawled', 'account', ({ accounts }) => accounts.neverCrawled],
];

test.each(REPORTS)('the statements in the sidecar of %s return its rows again', async (_, subject, target) => {
  const file = await writeReport(subject, target(world), '--include-deleted');
  const { queries, data } = JSON.parse(readFileSync(`${file}.meta.json`, 'utf8')) as ReportSidecar & {
    data: { answers: { name: string; rows: unknown[][] }[] };
  };
  expect(queries.map(({ name, rows }) => [name, rows])).toEqual(
    data.answers.map(({ name, rows }) => [name, rows.length]),
  );
  for (const [i, { sql, parameters }] of queries.entries()) {
    const values = Object.entries(parameters).flatMap(([name, value]) => [
      '-p',
      typeof value === 'string' ? `${name}=${value}` : `${name}:=${value}`,
    ]);
    const rows = await runJson<object[]>(['sql', '-', '--db', world.db, ...values], { stdin: sql });
    expect(rows.map(Object.values)).toEqual(data.answers[i]!.rows);
  }
});

describe('in a browser', () => {
  test.each(SHOWN_REPORTS)(
    'the report of %s asks for nothing, is accessible and fits every width',
    async (name, subject, target) => {
      const file = await writeReport(subject, target(world));
      await using opened = await openFile(browser!, file, { width: 390, theme: 'light' });
      const { page, requests, messages } = opened;
      await checkAppearances(page, name);
      expect({ requests, messages }).toEqual({ requests: [], messages: [] });
    },
  );

  test('a hostile text is only text, and its direction stays its own', async () => {
    const file = await writeReport('account', world.accounts.gaps);
    await using opened = await openFile(browser!, file, { width: 820, theme: 'light' });
    const { page, messages } = opened;
    const found = await page.evaluate<{
      scripts: number;
      images: number;
      links: string[];
      heading: string;
      title: string;
      isolation: string;
    }>(`({
      scripts: document.scripts.length, images: document.images.length, title: document.title,
      links: [...document.links].map((link) => link.getAttribute('href')).filter((href) => !href.startsWith('#')),
      heading: document.querySelector('h1').textContent,
      isolation: getComputedStyle(document.querySelector('h1 bdi')).unicodeBidi,
    })`);
    expect(found).toMatchObject({ scripts: 0, images: 0, links: [], isolation: 'isolate' });
    expect(found.heading).toContain('<script>document.title = "owned"</script>');
    expect(found.heading).not.toMatch(/[\u202a-\u202e\0]/);
    expect(found.title).not.toBe('owned');
    expect(messages).toEqual([]);
  });

  test('headings descend without a jump, every table has a caption and headers, every section is in the contents', async () => {
    const file = await writeReport('account', world.accounts.complete);
    await using opened = await openFile(browser!, file, { width: 1440, theme: 'light' });
    const found = await opened.page.evaluate<{
      levels: number[];
      tables: boolean[];
      contents: string[];
      sections: string[];
      drawings: boolean[];
    }>(`({
      levels: [...document.querySelectorAll('h1, h2, h3, h4')].map((each) => Number(each.tagName[1])),
      tables: [...document.querySelectorAll('table')].map((each) => each.caption !== null && each.querySelector('thead th[scope=col]') !== null && [...each.tBodies[0].rows].every((row) => row.cells[0].scope === 'row')),
      contents: [...document.querySelectorAll('nav a')].map((each) => each.getAttribute('href').slice(1)),
      sections: [...document.querySelectorAll('h2')].map((each) => each.id),
      drawings: [...document.querySelectorAll('figure svg')].map((each) => each.getAttribute('role') === 'img' && each.hasAttribute('aria-label') || each.querySelector('title') !== null),
    })`);
    expect(found.levels.filter((level) => level === 1)).toHaveLength(1);
    expect(found.levels.every((level, i) => i === 0 || level <= found.levels[i - 1]! + 1)).toBe(true);
    expect(found.tables).not.toContain(false);
    expect(found.drawings).not.toContain(false);
    expect(found.drawings.length).toBeGreaterThan(4);
    expect(found.contents).toEqual(found.sections);
  });

  test('it can be printed: pages of A4 in the light colours, without contents and folded tables', async () => {
    const file = await writeReport('account', world.accounts.complete);
    await using opened = await openFile(browser!, file, { width: 1440, theme: 'dark' });
    const { page } = opened;
    await page.emulateMedia({ media: 'print' });
    const found = await page.evaluate<{ background: string; nav: string; details: string }>(`({
      background: getComputedStyle(document.body).backgroundColor,
      nav: getComputedStyle(document.querySelector('nav')).display,
      details: getComputedStyle(document.querySelector('details')).display,
    })`);
    expect(found).toEqual({ background: 'rgb(255, 255, 255)', nav: 'none', details: 'none' });
    const pdf = await page.pdf({ preferCSSPageSize: true });
    writeFileSync(join(folder.path, 'report.pdf'), pdf);
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  });
});

/** The code of docs/reports.md that verifies a sidecar. */
const [, VERIFICATION] = /```python\n([^]*?)```/.exec(
  readFileSync(resolve(import.meta.dirname, '../../docs/reports.md'), 'utf8'),
)!;

test('the code of the documentation computes the checksum of a sidecar', async () => {
  const file = await writeReport('account', world.accounts.gaps);
  const { dataSha256 } = JSON.parse(readFileSync(`${file}.meta.json`, 'utf8')) as { dataSha256: string };
  const code = VERIFICATION!.replace('nasa.html', file);
  const { stdout, stderr } = spawnSync(PYTHON, ['-c', code], { encoding: 'utf8' });
  expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: dataSha256, stderr: '' });
  expect(readFileSync(file, 'utf8')).toContain(dataSha256);
});

/** Every figure of a report, computed again from the base tables. */
describe('the figures', () => {
  const all = <T>(sql: string, ...values: readonly (string | number)[]): T[] => {
    using db = openDatabase(world.db);
    // The driver binds ?1 by name.
    const named = Object.fromEntries(values.map((value, i) => [i + 1, value]));
    return db.$client.prepare<unknown[], T>(sql).all(...(/\?\d/.test(sql) ? [named] : values));
  };
  const one = <T>(sql: string, ...values: readonly (string | number)[]): T =>
    Object.values(all<object>(sql, ...values)[0]!)[0] as T;
  const show = async (subject: string, target: string): Promise<ShownPage> =>
    readPage(readFileSync(await writeReport(subject, target), 'utf8'));
  const day = (ms: number | null): string => (ms === null ? '' : new Date(ms).toISOString().slice(0, 10));
  const minute = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
  /** The tables of a page that show the rows of saved queries. */
  const SHOWN = {
    'Tweets over time: the figures': 'tweets-per-period',
    'Hours of the week: the figures': 'activity-by-hour',
    'Number of followers: the figures': 'followers-over-time',
    'Followers gained and lost: the figures': 'followers-gained-and-lost',
    'Deletions, newest first': 'deleted-tweets',
    'Edits, newest first': 'edited-tweets',
  };
  const readSidecar = (name: keyof ObservedWorld['accounts']) =>
    JSON.parse(readFileSync(`${fileOf('account', `id:${userOf(world.accounts[name]).restId}`)}.meta.json`, 'utf8')) as {
      data: { answers: { name: string; columns: string[]; rows: unknown[][] }[] };
    };

  interface User {
    readonly id: number;
    readonly restId: string;
    readonly statuses: number | null;
    readonly followers: number | null;
    readonly following: number | null;
    readonly profileAt: number | null;
    readonly summaryAt: number | null;
  }
  const userOf = (handle: string): User =>
    all<User>(
      `select u.id, u.rest_id as restId, statuses_count as statuses, followers_count as followers, following_count as following,
         profile_at as profileAt, s.last_summary_at as summaryAt
       from users u left join _user_last_seen s on s.user_id = u.id where screen_name = ?`,
      handle,
    )[0]!;

  const ACCOUNTS = ['complete', 'capped', 'gaps', 'closed', 'gone', 'neverCrawled'] as const;

  describe.each(ACCOUNTS)('of the account %s', (name) => {
    let page: ShownPage;
    let user: User;
    beforeAll(async () => {
      user = userOf(world.accounts[name]);
      page = await show('account', `id:${user.restId}`);
    });

    test('stored and reported numbers', () => {
      const stored = {
        Tweets: one<number>('select count(*) from tweets where author_id = ?', user.id),
        Followers: one<number>('select count(*) from follows where followee_id = ? and ended_at is null', user.id),
        'Followed accounts': one<number>(
          'select count(*) from follows where follower_id = ? and ended_at is null',
          user.id,
        ),
      };
      const reported = { Followers: user.followers, 'Followed accounts': user.following };
      for (const [label, count] of Object.entries(stored)) {
        const tile = page.tiles.get(label)!;
        expect(toNumber(tile.value)).toBe(count);
        // Stored tweets of any source are compared with no count.
        if (label === 'Tweets') continue;
        const report = reported[label as keyof typeof reported];
        expect(tile.detail).toContain(
          report === null ? 'no count reported' : `, ${report.toLocaleString('en-US')} reported`,
        );
      }
      const inList = (flag: number): number =>
        one<number>(`select count(*) from tweets where author_id = ? and seen_in_lists & ${flag} <> 0`, user.id);
      const rows = rowsOf(page, /^Stored rows/).map(([list, count, report, share, on]) => ({
        list,
        count: toNumber(count!),
        report,
        share,
        on,
      }));
      const countedAt = Math.max(user.profileAt ?? 0, user.summaryAt ?? 0) || null;
      const expected = [
        // The count of tweets may include replies.
        ['Original tweets', inList(1), undefined, null],
        ['Tweets and replies', inList(2), user.statuses, user.profileAt],
        ['Followers', stored.Followers, user.followers, countedAt],
        ['Followed accounts', stored['Followed accounts'], user.following, countedAt],
      ] as const;
      expect(rows).toEqual(
        expected.map(([list, count, report, at]) => ({
          list,
          count,
          report: report === null ? 'unknown' : (report?.toLocaleString('en-US') ?? ''),
          share: report ? (count > report ? 'more than counted' : shareOf(count / report)) : '',
          on: report == null ? '' : day(at),
        })),
      );
    });

    test('requests and crawls', () => {
      const handle = world.accounts[name].toLowerCase();
      const ids = all<{ id: number }>(
        `select c.id from crawls c where (c.kind in ('profile', 'timeline', 'replies', 'followers', 'following')
            and (c.target_rest_id = ?1 or c.target = 'id:' || ?1 or (c.target_rest_id is null and c.target = ?2)))
          or (c.kind = 'search' and c.target = 'from:' || ?2)
          or (c.kind = 'tweet' and c.target in (select rest_id from tweets where author_id = ?3)) order by c.id desc`,
        user.restId,
        handle,
        user.id,
      ).map(({ id }) => id);
      const requests = all<{ crawlId: number; sentAt: number; status: number | null }>(
        'select crawl_id as crawlId, sent_at as sentAt, status from requests',
      ).filter(({ crawlId }) => ids.includes(crawlId));
      expect(toNumber(page.tiles.get('Requests')!.value)).toBe(requests.length);
      expect(page.tiles.get('Requests')!.detail).toMatch(new RegExp(`^in ${ids.length} crawls?$`));
      expect(page.sections.get('collection')!.includes('Not collected.')).toBe(ids.length === 0);
      if (ids.length === 0) return;
      const sent = requests.map(({ sentAt }) => sentAt);
      expect(page.sections.get('collection')).toContain(
        `sent ${requests.length} request${requests.length === 1 ? '' : 's'}, from ${minute(Math.min(...sent))} to ${minute(Math.max(...sent))}`,
      );
      const said = (sentence: RegExp) => Number(sentence.exec(page.sections.get('collection')!)?.[1] ?? 0);
      const countOf = (isMeant: (status: number | null) => boolean) =>
        requests.filter(({ status }) => isMeant(status)).length;
      expect(said(/(\d+) requests? had no response or an error status/)).toBe(
        countOf((status) => status !== 404 && (status === null || status >= 400)),
      );
      expect(said(/The answer to (\d+) requests? was 404/)).toBe(countOf((status) => status === 404));
      const crawls = all<{ id: number; kind: string; state: string; newItems: number; startedAt: number | null }>(
        'select id, kind, state, new_items as newItems, started_at as startedAt from crawls order by id desc',
      ).filter(({ id }) => ids.includes(id));
      const kinds = [...new Set(crawls.map(({ kind }) => kind))].toSorted();
      const rows = rowsOf(page, /^Crawls by kind/).map(([, ...cells]) => [
        ...cells.slice(0, 8).map(toNumber),
        ...cells.slice(8),
      ]);
      expect(rows).toEqual(
        kinds.map((kind) => {
          const own = crawls.filter((crawl) => crawl.kind === kind);
          const of = (...states: string[]): number => own.filter(({ state }) => states.includes(state)).length;
          const times = requests
            .filter(({ crawlId }) => own.some(({ id }) => id === crawlId))
            .map(({ sentAt }) => sentAt);
          return [
            own.length,
            of('complete'),
            of('capped'),
            of('partial'),
            of('failed'),
            of('cancelled', 'queued', 'running', 'paused'),
            times.length,
            own.reduce((sum, { newItems }) => sum + newItems, 0),
            ...(times.length === 0 ? ['', ''] : [day(Math.min(...times)), day(Math.max(...times))]),
          ];
        }),
      );
      const listed = rowsOf(page, /^The (newest 25 )?crawls$/);
      expect(
        listed.map(([id, , , , sentCount, newRows, begun]) => [id, toNumber(sentCount!), toNumber(newRows!), begun]),
      ).toEqual(
        crawls
          .slice(0, 25)
          .map(({ id, newItems, startedAt }) => [
            String(id),
            requests.filter(({ crawlId }) => crawlId === id).length,
            newItems,
            startedAt === null ? '' : minute(startedAt),
          ]),
      );
      const sources = all<{ host: string; version: string; key: string; crawls: number }>(
        `select service_host as host, trawl_version as version, key_label as key, count(*) as crawls from crawl_sources
         where crawl_id in (select value from json_each(?)) group by 1, 2, 3`,
        JSON.stringify(ids),
      );
      expect(rowsOf(page, /^Versions, services/).map((row) => row.slice(0, 4))).toEqual(
        sources.map(({ host, version, key, crawls: count }) => [host, version, key, String(count)]),
      );
    });

    // test/queries computes the answers a second time.
    test('charts and tables of saved queries', () => {
      const { answers } = readSidecar(name).data;
      for (const [caption, query] of Object.entries(SHOWN)) {
        const { columns = [], rows = [] } = answers.find((answer) => answer.name === query) ?? {};
        const shown = page.tables.get(caption)?.slice(1);
        // Without a table, there is nothing to show.
        const [first = ''] = columns.filter((column) => /^(followers|accounts|tweets|rest_id)$/.test(column));
        const at = columns.indexOf(first);
        const isId = first === 'rest_id';
        const cellOf = (value: unknown) => (value === null ? '' : Number(value).toLocaleString('en-US'));
        const shownCells = shown?.map((row) => (isId ? row[0] : row[at]!.replace('not observed', '')));
        const counted = rows.filter((row) => row[at] !== null && row[at] !== 0);
        const cells = rows.map((row) => (isId ? row[at] : cellOf(row[at])));
        expect(shownCells ?? counted).toEqual(shownCells ? cells : []);
      }
      const top = answers.find((answer) => answer.name === 'top-tweets');
      const deleted = all<{ restId: string }>(
        `select t.rest_id as restId from _deletion_evidence d join tweets t on t.id = d.tweet_id
         where t.author_id = ? and d.suspected_at > t.last_seen_at and d.confirmed_at is not null`,
        user.id,
      ).map(({ restId }) => restId);
      expect(top === undefined).toBe(name === 'gone');
      expect(page.posts).toHaveLength(top?.rows.length ?? 0);
      page.posts.forEach(({ meta }, i) => {
        const restId = top!.rows[i]![top!.columns.indexOf('rest_id')];
        expect(meta).toContain(`id ${String(restId)} `);
        expect(deleted).not.toContain(restId);
      });
    });
  });

  test('of a search', async () => {
    const page = await show('search', world.search);
    const found = all<{ id: number; restId: string; author: string; likes: number | null }>(
      `select distinct t.id, t.rest_id as restId, u.screen_name as author, t.favorite_count as likes
       from search_hits h join tweets t on t.id = h.tweet_id join users u on u.id = t.author_id
       where h.search_id in (select id from searches where query = ?1 or query glob ?1 || ' since:* until:*')`,
      world.search,
    );
    expect(toNumber(page.tiles.get('Tweets')!.value)).toBe(found.length);
    expect(toNumber(page.tiles.get('Authors')!.value)).toBe(new Set(found.map(({ author }) => author)).size);
    expect(toNumber(page.tiles.get('Windows')!.value)).toBe(
      one<number>('select count(*) from _search_windows where query = ?', world.search),
    );
    expect(toNumber(page.tiles.get('Requests')!.value)).toBe(
      one<number>(
        "select count(*) from requests where crawl_id in (select id from crawls where kind = 'search' and target = ?)",
        world.search,
      ),
    );
    const authors = rowsOf(page, /^Numbers of found tweets/);
    for (const [author, , tweets] of authors) {
      expect(toNumber(tweets!)).toBe(found.filter((tweet) => tweet.author === author).length);
    }
    const [header, ...rows] = page.tables.get('Tweets that the search found: the figures')!;
    const at = header!.indexOf('Tweets');
    const sum = rows.reduce((total, row) => total + (row[at] === 'not observed' ? 0 : toNumber(row[at]!)), 0);
    expect(sum).toBe(found.length);
  });

  test('of a job', async () => {
    const page = await show('job', world.job);
    const roots = all<{ id: number; state: string }>(
      'select id, state from crawls where run_id in (select id from runs where job_name = ?) and parent_id is null',
      world.job,
    );
    expect(toNumber(page.tiles.get('Runs')!.value)).toBe(
      one<number>('select count(*) from runs where job_name = ?', world.job),
    );
    const lists = one<number>(
      'select count(*) from (select distinct kind, coalesce(target_rest_id, target) from crawls where run_id in (select id from runs where job_name = ?) and parent_id is null)',
      world.job,
    );
    expect(toNumber(page.tiles.get('Targets')!.value)).toBe(lists);
    expect(rowsOf(page, /^A row is a target/)).toHaveLength(lists);
    const [run] = rowsOf(page, /^A row is a run/);
    expect(run!.slice(1, 4).map(toNumber)).toEqual([
      roots.length,
      roots.filter(({ state }) => state === 'complete').length,
      roots.filter(({ state }) => state === 'capped').length,
    ]);
    expect(page.sections.get('overview')).toContain('How newsrooms announce <b>corrections</b>');
  });
});

/** How a share is shown. */
function shareOf(share: number): string {
  if (share > 0 && share < 0.005) return '< 1 %';
  return share < 1 && share >= 0.995 ? '> 99 %' : `${Math.round(100 * share)} %`;
}
